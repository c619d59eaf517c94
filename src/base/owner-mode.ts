// A umask such as 0777 or 0277 takes access away from the owner as well. What is private to its owner must stay usable for its owner.
import * as fs from "node:fs";

let takesFromOwner: boolean | undefined;

/** Whether the umask leaves something of this mode away that only concerns the owner. */
function isCut(mode: number): boolean {
  if ((mode & 0o077) !== 0) return false;
  takesFromOwner ??= process.platform !== "win32" && (process.umask() & 0o700) !== 0;
  return takesFromOwner;
}

/** Makes a folder; one for its owner alone gets this mode whatever the umask. */
export function makeOneFolder(path: string, mode: number): void {
  fs.mkdirSync(path, mode);
  if (isCut(mode)) fs.chmodSync(path, mode);
}

/** Opens a new file for writing; one for its owner alone gets this mode whatever the umask. */
export function openNew(path: string, mode: number): number {
  const descriptor = fs.openSync(path, "wx", mode);
  if (isCut(mode)) fs.fchmodSync(descriptor, mode);
  return descriptor;
}
