// Files beside a log. None of them is trusted: only regular files are read, and no link is followed.
import * as fs from "node:fs";
import { CtxError, errnoOf } from "../base/errors.js";
import { openRegular, piecesOf, usingDescriptor } from "../base/fs/files.js";
import { type LogSource, sourceOf } from "./log-source.js";

/** Returns the names in a folder, sorted; none if it is no folder or cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return isFolder(folder) ? fs.readdirSync(folder).sort() : [];
  } catch (error) {
    if (errnoOf(error) !== undefined) return [];
    throw error;
  }
}

/** Returns whether a path is a folder itself, not a link to one. */
export function isFolder(path: string): boolean {
  try {
    return fs.lstatSync(path).isDirectory();
  } catch (error) {
    if (errnoOf(error) !== undefined) return false;
    throw error;
  }
}

/** Opens a file beside a log and passes it to `work`; undefined when it cannot be read. */
export function readBeside<T>(path: string, work: (source: LogSource) => T): T | undefined {
  return openSafely(path, (descriptor) => work(sourceOf(piecesOf(descriptor), { name: path })));
}

export function openSafely<T>(path: string, work: (descriptor: number) => T): T | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(path).descriptor;
  } catch (error) {
    if (error instanceof CtxError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
  return usingDescriptor(descriptor, work);
}
