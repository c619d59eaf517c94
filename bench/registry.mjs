// Registries for the rows that push and pull packs: a new one for each job, on this machine, and skopeo
// beside it.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** @typedef {import("./work.mjs").Command} Command */
/** @typedef {import("./work.mjs").Work} Work */
/** @typedef {{ host: string, stop: () => void }} Running */

/** Returns the programs that are missing here. @param {string[]} names @returns {string[]} */
export function missingPrograms(...names) {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return names.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a registry that keeps what it has in a folder. @param {string} storage @param {string} folder for its own files @returns {Running} */
export function startRegistry(storage, folder) {
  const config = join(folder, "registry.json");
  const log = join(folder, "registry.log");
  writeFileSync(
    config,
    JSON.stringify({
      version: 0.1,
      log: { level: "info", accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: storage }, cache: { blobdescriptor: "inmemory" } },
      http: { addr: "127.0.0.1:0" },
    }),
  );
  // Into a file: a full pipe would block it.
  const descriptor = openSync(log, "wx");
  const child = spawn("docker-registry", ["serve", config], { stdio: ["ignore", descriptor, descriptor] });
  closeSync(descriptor);
  running.add(child);
  for (let tries = 0; tries < 500; tries++) {
    const host = /listening on (127\.0\.0\.1:\d+)/.exec(readFileSync(log, "utf8"))?.[1];
    if (host !== undefined) return { host, stop: () => stop(child) };
    spawnSync("sleep", ["0.02"]);
  }
  throw new Error(`docker-registry did not start:\n${readFileSync(log, "utf8")}`);
}

/** Ends it, and waits for that: what it does last must not be in the way of the next command. @param {import("node:child_process").ChildProcess} child */
function stop(child) {
  child.kill("SIGKILL");
  running.delete(child);
  // Node notices its end only when this program is idle; the system knows before.
  for (let tries = 0; tries < 500 && isAlive(child.pid); tries++) spawnSync("sleep", ["0.01"]);
}

/** @param {number | undefined} pid */
function isAlive(pid) {
  try {
    // A process that has ended and whose status was not read is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
}

/**
 * Copies an artifact, with a cache of its own: skopeo would not send blobs that it remembers from an earlier
 * job.
 * @param {Work} work @param {string} from @param {string} to @param {string} [after] a line for the shell, run when all went well
 * @returns {Command}
 */
export function skopeoCopy(work, from, to, after) {
  const folder = work.fresh();
  mkdirSync(join(folder, "data"));
  const copy = `skopeo --insecure-policy copy -q --src-tls-verify=false --dest-tls-verify=false "$FROM" "$TO"`;
  return {
    ...work.shell(folder, after === undefined ? `exec ${copy}` : `${copy} && ${after}`),
    env: {
      FROM: from,
      TO: to,
      XDG_DATA_HOME: join(folder, "data"),
      TMPDIR: folder,
      _CONTAINERS_ROOTLESS_UID: "1000",
    },
  };
}
