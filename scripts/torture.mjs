// Bundles torture/main.ts into a temporary folder, runs it there, and removes all leftovers: processes,
// mounts, loop devices and folders, also after an interrupt.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./load.mjs";

/** The sources find their neighbours by their location, also when they run elsewhere. */
const ownPlace = {
  name: "own place",
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:torture|test|dev)\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: "ts",
    }));
  },
};

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ctx-torture-")));
/**
 * Cases that are not about disks run in memory, if possible; in the folder of the run that started this one,
 * if there is one.
 */
const quick = process.env.CTX_TORTURE_MEMORY ?? "/dev/shm";
const memory = existsSync(quick) ? realpathSync(mkdtempSync(join(quick, "ctx-torture-"))) : folder;
const kept = join(tmpdir(), `ctx-torture-violations-${process.pid}.txt`);
try {
  const main = join(folder, "main.mjs");
  await build({
    entryPoints: [join(root, "torture/main.ts")],
    outfile: main,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [ownPlace],
    logLevel: "error",
  });
  const scratch = join(folder, "scratch");
  mkdirSync(scratch);
  // When root replays, programs run as the user nobody, who must be able to enter the folder for temporary
  // files.
  for (const path of [folder, scratch]) chmodSync(path, 0o711);
  process.exitCode = await run(main, scratch);
} finally {
  clear();
}

/** In a group of its own, so that all its children can be ended with it. */
function run(main, scratch) {
  const child = spawn(process.execPath, ["--enable-source-maps", main, ...process.argv.slice(2)], {
    stdio: "inherit",
    detached: true,
    env: { ...process.env, TMPDIR: scratch, CTX_TORTURE_MEMORY: memory, CTX_TORTURE_KEPT: kept },
  });
  /** False when they are all gone. */
  const send = (signal) => {
    try {
      return process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  };
  let interrupted = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      interrupted = true;
      send("SIGTERM");
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", async (status) => {
      // Runs that were started from this one clean up after themselves.
      for (let tries = interrupted ? 100 : 0; tries > 0 && send(0); tries--) await pause(50);
      send("SIGKILL");
      resolve(interrupted ? 130 : (status ?? 1));
    });
  });
}

function clear() {
  if (existsSync("/proc/self/mounts")) {
    const points = readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, point = ""]) => point.startsWith(`${folder}/`));
    for (const [device = "", point] of points.reverse()) {
      spawnSync("umount", ["-l", point], { stdio: "ignore" });
      if (device.startsWith("/dev/loop")) spawnSync("losetup", ["-d", device], { stdio: "ignore" });
    }
  }
  for (const made of [folder, memory]) rmSync(made, { recursive: true, force: true, maxRetries: 3 });
}
