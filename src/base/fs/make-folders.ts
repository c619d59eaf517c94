// Makes several levels of folders. Node's own `recursive` never ends where the system reports ENOENT below a
// folder that exists, as /proc does; so each level is made by itself, and the first failure is an error.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { errnoOf, toIoError } from "../errors.js";
import { makeOneFolder } from "./owner-mode.js";

/** Makes a folder and its missing parents. `mode` applies to the new ones. */
export function makeFolders(path: string, mode = 0o777): void {
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
