// The permissions of files written into a store. Nothing in it is more permissive than the store's own
// folder, and nothing is ever world-writable: in a private store (0700) folders are 0700 and files 0400 or
// 0600, whatever the umask; in a shared one the umask decides, as it did for the folder when it was made.
import * as fs from "node:fs";

const openFolder = 0o775;
export const privateFolder = 0o700;

export interface Modes {
  folder: number;
  /** Returns the mode of a file that may have at most the mode `most`. */
  file(maxMode: number): number;
}

export function modesOf(root: string): Modes {
  const mask = (fs.lstatSync(root).mode & openFolder) | privateFolder;
  return { folder: openFolder & mask, file: (maxMode) => maxMode & mask };
}

/** Returns whether only its owner can enter a store. */
export function isPrivate({ mode }: fs.Stats): boolean {
  return (mode & 0o077) === 0;
}
