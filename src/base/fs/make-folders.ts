// Makes several levels of folders. Node's own `recursive` never ends where the system reports ENOENT below a
// folder that exists, as /proc does; so each level is made by itself, and the first failure is an error.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { CtxError, errnoOf, toIoError, withPath } from "../errors.js";
import { makeFolder } from "./files.js";
import { flushFolder } from "./flush.js";
import { makeOneFolder } from "./owner-mode.js";

/** Makes a folder and its missing parents, and returns the new ones. `mode` applies to them. */
export function makeFolders(path: string, mode = 0o777): string[] {
  const missing: string[] = [];
  for (let at = path; !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) {
    try {
      makeOneFolder(folder, mode);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw toIoError(error, folder, "create");
      // Another process made it meanwhile; or a file has that name.
      if (!isFolder(folder))
        throw toIoError(Object.assign(error as Error, { code: "ENOTDIR" }), path, "create");
    }
  }
  return missing;
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    // The attempt to make it will report the problem.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

export interface DurableFolders {
  /** Mode of the new ones. */
  mode?: number;
  /** Receives the folders that were created. */
  made?: string[];
  /** Whether to rely on the folders that exist: their names are not flushed again. */
  reliesOnOld?: boolean;
}

/**
 * Makes a folder and its missing parents, each durable before the next: no power cut removes them again. An
 * existing folder may have been made a moment ago, by the user or by a command that was killed, so its name
 * is flushed, too.
 */
export function makeDurableFolders(folder: string, options: DurableFolders = {}): void {
  const { mode, made, reliesOnOld = false } = options;
  const above = dirname(folder);
  if (above === folder) return;
  const isThere = withPath(
    folder,
    "create",
    () => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
  );
  if (isThere && reliesOnOld) return;
  makeDurableFolders(above, options);
  if (!isThere) {
    makeFolder(folder, mode);
    made?.push(folder);
  }
  try {
    flushFolder(above);
  } catch (error) {
    // This process did not make a folder that it may not read or that cannot be flushed.
    const errno = error instanceof CtxError ? error.data?.["errno"] : undefined;
    if (!isThere || (errno !== "EACCES" && errno !== "EPERM" && errno !== "ENOSYS")) throw error;
  }
}
