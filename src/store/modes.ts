// Who may read what is written into a store. Nothing in it is looser than the store's own folder, and nothing can ever be written
// by everybody: in a private store (0700) folders are 0700 and files 0400 or 0600, whatever the umask; in one that is shared they are
// what the umask says, as the folder was when it was made.
import * as fs from "node:fs";

const openFolder = 0o775;
export const privateFolder = 0o700;

export interface Modes {
  folder: number;
  /** The mode of a file that could have this one at most. */
  file(most: number): number;
}

export function modesOf(root: string): Modes {
  const mask = (fs.lstatSync(root).mode & openFolder) | privateFolder;
  return { folder: openFolder & mask, file: (most) => most & mask };
}

/** Whether only its owner can enter a store. */
export function isPrivate({ mode }: fs.Stats): boolean {
  return (mode & 0o077) === 0;
}
