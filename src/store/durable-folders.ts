// Folders outside the store, made so that a power cut takes none of them away again.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { CtxError, withPath } from "../base/errors.js";
import { makeFolder } from "../base/fs/files.js";
import { flushFolder } from "./flush.js";

/**
 * Makes a folder and those above it that are missing, each on the disk before the next, and notes which were made. One that is there
 * may have been made a moment ago, by the user or by a command that was killed: its name has to be on the disk, too.
 */
export function makeFoldersDownTo(folder: string, made: string[] = []): void {
  const above = dirname(folder);
  if (above === folder) return;
  const isThere = withPath(
    folder,
    "create",
    () => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
  );
  makeFoldersDownTo(above, made);
  if (!isThere) {
    makeFolder(folder);
    made.push(folder);
  }
  try {
    flushFolder(above);
  } catch (error) {
    // What we may not read, or what cannot be flushed at all, we did not make.
    const errno = error instanceof CtxError ? error.data?.["errno"] : undefined;
    if (!isThere || (errno !== "EACCES" && errno !== "EPERM" && errno !== "ENOSYS")) throw error;
  }
}
