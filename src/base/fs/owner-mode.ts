// A umask such as 0777 or 0277 removes the owner's access as well. Files and folders that ctx makes must stay
// usable for their owner.
import * as fs from "node:fs";

let umask: number | undefined;

/**
 * Returns the mode to set explicitly if the umask would remove what this mode grants the owner; undefined
 * otherwise.
 */
function modeToSet(mode: number): number | undefined {
  umask ??= process.platform === "win32" ? 0 : process.umask();
  return (mode & 0o700 & umask) === 0 ? undefined : (mode & ~umask) | (mode & 0o700);
}

/** Makes a folder with this mode minus the umask; the owner's permissions stay whatever the umask. */
export function makeOneFolder(path: string, mode: number): void {
  fs.mkdirSync(path, mode);
  const wanted = modeToSet(mode);
  if (wanted !== undefined) fs.chmodSync(path, wanted);
}

/**
 * Opens a new file for writing, with this mode minus the umask; the owner's permissions stay whatever the
 * umask.
 */
export function openNew(path: string, mode: number): number {
  const descriptor = fs.openSync(path, "wx", mode);
  const wanted = modeToSet(mode);
  if (wanted !== undefined) fs.fchmodSync(descriptor, wanted);
  return descriptor;
}
