// Folders outside the store, made so that no power cut removes them again.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { CtxError, withPath } from "../base/errors.js";
import { makeFolder } from "../base/fs/files.js";
import { flushFolder } from "./flush.js";

/**
 * Makes a folder and its missing parents, each durable before the next, and appends those that it made to
 * `made`. An existing folder may have been made a moment ago, by the user or by a command that was killed:
 * its name must be flushed, too.
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
    // This process did not make a folder that it may not read or that cannot be flushed.
    const errno = error instanceof CtxError ? error.data?.["errno"] : undefined;
    if (!isThere || (errno !== "EACCES" && errno !== "EPERM" && errno !== "ENOSYS")) throw error;
  }
}
