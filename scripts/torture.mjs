// Bundles torture/main.ts into a temporary folder, runs it there, and clears away whatever is left of it: processes, mounts,
// loop devices and folders, also after an interrupt.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./load.mjs";

/** The sources look for their neighbours by where they are, also when they run elsewhere. */
const ownPlace = {
  name: "own place",
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:torture|test)\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: "ts",
    }));
  },
};

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ctx-torture-")));
/** What is not about disks is done in memory, where there is such a place. */
const memory = existsSync("/dev/shm") ? realpathSync(mkdtempSync("/dev/shm/ctx-torture-")) : folder;
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
  process.exitCode = await run(main, scratch);
} finally {
  clear();
}

/** In a group of its own, so that everything that it started can be ended with it. */
function run(main, scratch) {
  const child = spawn(process.execPath, ["--enable-source-maps", main, ...process.argv.slice(2)], {
    stdio: "inherit",
    detached: true,
    env: { ...process.env, TMPDIR: scratch, CTX_TORTURE_MEMORY: memory, CTX_TORTURE_KEPT: kept },
  });
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // They are all gone.
    }
  };
  let interrupted = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      interrupted = true;
      end();
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      end();
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
