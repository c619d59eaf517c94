// Notices that a store which ctx made for this user is gone. git deletes ignored files without asking, a
// private store among them, and "there is no store" would read as if there had never been one.
import * as fs from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { CtxError } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import { storeName } from "./layout.js";

/** What a user can do about a store that is gone. */
export const vanishedHint =
  "unless you moved it, git may have deleted it, as it is an ignored folder (docs/reliability.md); restore it from a copy, or run `ctx init` to start again";

/**
 * Returns the path of a store, in `folder` or above, that the user had and that is no folder now; undefined
 * if there is a store in `folder` or between the two.
 */
export function vanishedStore(folder: string, state: string): string | undefined {
  const start = realFolder(folder);
  const notes = join(state, "stores");
  let nearest: string | undefined;
  for (const name of namesIn(notes)) {
    const root = notedRoot(join(notes, name));
    if (root === undefined || !isInside(start, dirname(root))) continue;
    if (fs.lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true) continue;
    if (nearest === undefined || root.length > nearest.length) nearest = root;
  }
  if (nearest === undefined) return undefined;
  for (let at = start; at !== dirname(nearest); at = dirname(at))
    if (fs.lstatSync(join(at, storeName), { throwIfNoEntry: false })?.isDirectory() === true)
      return undefined;
  return nearest;
}

/** Returns the folder without links; as it is if it is gone. */
function realFolder(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    // Without readable notes, nothing is known to have vanished.
    return [];
  }
}

/** Returns the path in a note of `accepted.ts`: `<kind>\n<path>\n`. The path may contain line feeds. */
function notedRoot(path: string): string | undefined {
  try {
    return /\n(.+)\n/s.exec(readIfThere(path)?.toString("utf8") ?? "")?.[1];
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

function isInside(folder: string, outer: string): boolean {
  const path = relative(outer, folder);
  return path === "" || !/^\.\.(?:\/|\\|$)/.test(path);
}
