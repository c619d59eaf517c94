// Walks everything below a folder, for searches and for removing it. No recursion and one descriptor: a pack
// may hold a tree that is thousands of folders deep.
import * as fs from "node:fs";
import { constants as flags } from "node:fs";
import { errnoOf } from "../base/errors.js";
import { StepFailure } from "./outcome.js";
import { type DirCursor, usingFile } from "./dir-cursor.js";

export type FileKind = "file" | "folder" | "link" | "other";

export interface WalkEntry {
  /** Relative to the folder that the walk began in, as a byte string. */
  path: string;
  kind: FileKind;
  /** Opens it for reading; only while it is being visited. */
  open<T>(work: (descriptor: number) => T): T;
}

/** With more, the paths of a tree would be longer than its files. */
const maxLevels = 10_000;

/** Visits everything below the cursor. Does not follow links, and skips folders that may not be entered. */
export function walkBelow(
  cursor: DirCursor,
  visit: (entry: WalkEntry) => void,
  options: { skip?: ReadonlySet<string> } = {},
): void {
  function visitFolder(prefix: string): { prefix: string; folders: string[] } {
    const folders: string[] = [];
    for (const [name, kind] of entriesOf(cursor)) {
      visit({
        path: prefix + name,
        kind,
        open: (work) => usingFile(cursor.at(name), flags.O_RDONLY, work),
      });
      if (kind === "folder" && options.skip?.has(name) !== true) folders.push(name);
    }
    return { prefix, folders };
  }

  const levels = [visitFolder("")];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const name = level.folders.pop();
    if (name === undefined) {
      levels.pop();
      if (levels.length > 0) cursor.leave();
      continue;
    }
    if (!hasEntered(cursor, name)) continue;
    if (levels.length >= maxLevels)
      throw new StepFailure("error", `folders are nested more than ${maxLevels} deep`, { untried: true });
    levels.push(visitFolder(`${level.prefix}${name}/`));
  }
}

function hasEntered(cursor: DirCursor, name: string): boolean {
  try {
    cursor.enter(name);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EACCES") return false;
    throw error;
  }
}

/** Removes everything below the cursor. */
export function emptyFolder(cursor: DirCursor): void {
  const levels = [sweep(cursor)];
  for (let folders = levels.at(-1); folders !== undefined; folders = levels.at(-1)) {
    const name = folders.pop();
    if (name !== undefined) {
      cursor.enter(name);
      levels.push(sweep(cursor));
      continue;
    }
    levels.pop();
    if (levels.length > 0) fs.rmdirSync(cursor.at(cursor.leave()));
  }
}

/** Removes everything but folders, and returns the names of the folders. */
function sweep(cursor: DirCursor): string[] {
  const folders: string[] = [];
  for (const [name, kind] of entriesOf(cursor)) {
    if (kind === "folder") folders.push(name);
    else fs.unlinkSync(cursor.at(name));
  }
  return folders;
}

/** Returns the entries of a folder, sorted by the bytes of their names. */
export function entriesOf(cursor: DirCursor): [string, FileKind][] {
  const found = fs.readdirSync(cursor.at("."), { withFileTypes: true, encoding: "latin1" });
  return found
    .map((entry): [string, FileKind] => [entry.name, fileKind(entry)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

export function fileKind(entry: fs.Dirent | fs.Stats): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
