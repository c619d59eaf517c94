// Small and read-only file systems, for users with the right to mount. They are unmounted when the test file
// is done.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { atEnd } from "./endings.js";
import { tempFolder } from "./folders.js";

const mounted: string[] = [];

atEnd(() => {
  for (const path of mounted.splice(0)) mount("umount", ["-l", path]);
});

function mount(command: "mount" | "umount", args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** Returns whether this process may mount a file system. */
export function canMount(): boolean {
  if (process.platform !== "linux" || process.geteuid?.() !== 0) return false;
  const path = fs.mkdtempSync(join(tempFolder(), "probe-"));
  return mount("mount", ["-t", "tmpfs", "tmpfs", path]) && mount("umount", [path]);
}

/**
 * Returns a new file system in memory, in a new folder or in this one. `options` as for mount, such as
 * `size=64k`.
 */
export function memoryFolder(options: string, path = tempFolder()): string {
  if (!mount("mount", ["-t", "tmpfs", "-o", `mode=0755,${options}`, "tmpfs", path]))
    throw new Error(`cannot mount a tmpfs with ${options}`);
  mounted.push(path);
  return path;
}

/** Changes the options of a mounted file system: `ro`, or another size. */
export function remount(path: string, options: string): void {
  if (!mount("mount", ["-o", `remount,${options}`, path]))
    throw new Error(`cannot remount ${path} ${options}`);
}
