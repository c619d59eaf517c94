// Flushes bytes and names to disk. Few paths are flushed one by one; many at once by flushing the whole file
// system, which is several times faster and guarantees the same: after it returns, a power cut loses none of
// them.
import * as fs from "node:fs";
import { errnoOf, toIoError, withPath } from "../errors.js";
import { lazy } from "../lazy.js";
import { usingDescriptor } from "./files.js";

/** Up to this many paths one flush each is faster, and leaves other programs' unwritten data alone. */
export const manyPaths = 64;

export interface Paths {
  /** May be iterated twice. */
  files: Iterable<string>;
  folders: Iterable<string>;
}

/**
 * Flushes files and folders of one store. `root` is its folder. A failure is final: a flush is never tried
 * again.
 */
export function flush(root: string, paths: Paths): void {
  const folders = [...new Set(paths.folders)];
  let count = folders.length;
  for (const _ of paths.files) if (++count > manyPaths) break;
  if (count > manyPaths && flushFileSystem(root)) return;
  for (const file of paths.files) flushFile(file);
  for (const folder of folders) flushFolder(folder);
}

function flushFile(path: string): void {
  withPath(path, "flush", () => usingDescriptor(fs.openSync(path, "r"), fs.fsyncSync));
}

/**
 * Flushes a folder. Some file systems cannot and report EINVAL or ENOTSUP: there its entries need no flush of
 * their own. `shown`: the path to use in messages.
 */
export function flushFolder(path: string, shown = path): void {
  withPath(shown, "flush", () =>
    usingDescriptor(fs.openSync(path, "r"), (descriptor) => {
      try {
        fs.fsyncSync(descriptor);
      } catch (error) {
        const errno = errnoOf(error);
        if (errno !== "EINVAL" && errno !== "ENOTSUP") throw error;
      }
    }),
  );
}

/**
 * Flushes the file system that holds `root`. Returns false if this machine has no reliable way to do that.
 */
function flushFileSystem(root: string): boolean {
  const program = flushProgram();
  if (program === undefined || !reportsErrors()) return false;
  // A small pack gets by without this module, which takes longer to load than all its flushes.
  const run = lazy("child_process").spawnSync(program, ["-f", root], {
    env: { LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (run.status === 0) return true;
  const said = run.stderr?.toString("utf8").trim() ?? "";
  if (run.error !== undefined || /(?:unrecognized|invalid|unknown) option/.test(said)) return false;
  const failure = Object.assign(new Error(said), { code: "EIO", syscall: "syncfs" });
  throw toIoError(failure, root, "flush");
}

/** Returns whether this machine can flush a whole file system, and reports failures of that. */
export function canFlushFileSystem(): boolean {
  return flushProgram() !== undefined && reportsErrors();
}

function flushProgram(): string | undefined {
  return ["/usr/bin/sync", "/bin/sync"].find((path) => fs.existsSync(path));
}

/**
 * Returns whether syncfs reports write errors: on Linux since 5.8; before that a lost write would go
 * unnoticed.
 */
function reportsErrors(): boolean {
  if (process.platform !== "linux") return false;
  const [major = 0, minor = 0] = lazy("os").release().split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 8);
}
