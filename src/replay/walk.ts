// Walks everything below a folder, for searches and for removing it. No recursion and one descriptor: a pack
// may hold a tree that is thousands of folders deep.
import * as fs from "node:fs";
import { constants as flags } from "node:fs";
import { errnoOf } from "../base/errors.js";
import { StepFailure } from "./outcome.js";
import { type DirCursor, usingFile } from "./dir-cursor.js";

export type Kind = "file" | "folder" | "link" | "other";

export interface Entry {
  /** Relative to the folder that the walk began in, as a byte string. */
  path: string;
  kind: Kind;
  /** Opens it for reading; only while it is being visited. */
  open<T>(work: (descriptor: number) => T): T;
}

/** With more, the paths of a tree would be longer than its files. */
const mostLevels = 10_000;

/** Visits everything below the cursor. Does not follow links, and skips folders that may not be entered. */
export function walkBelow(
  place: DirCursor,
  visit: (entry: Entry) => void,
  options: { skip?: ReadonlySet<string> } = {},
): void {
  function look(prefix: string): { prefix: string; folders: string[] } {
    const folders: string[] = [];
    for (const [name, kind] of entriesOf(place)) {
      visit({
        path: prefix + name,
        kind,
        open: (work) => usingFile(place.at(name), flags.O_RDONLY, work),
      });
      if (kind === "folder" && options.skip?.has(name) !== true) folders.push(name);
    }
    return { prefix, folders };
  }

  const levels = [look("")];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const name = level.folders.pop();
    if (name === undefined) {
      levels.pop();
      if (levels.length > 0) place.leave();
      continue;
    }
    if (!hasEntered(place, name)) continue;
    if (levels.length >= mostLevels)
      throw new StepFailure("error", `folders are nested more than ${mostLevels} deep`, { untried: true });
    levels.push(look(`${level.prefix}${name}/`));
  }
}

function hasEntered(place: DirCursor, name: string): boolean {
  try {
    place.enter(name);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EACCES") return false;
    throw error;
  }
}

/** Removes everything below the cursor. */
export function emptyFolder(place: DirCursor): void {
  const levels = [sweep(place)];
  for (let folders = levels.at(-1); folders !== undefined; folders = levels.at(-1)) {
    const name = folders.pop();
    if (name !== undefined) {
      place.enter(name);
      levels.push(sweep(place));
      continue;
    }
    levels.pop();
    if (levels.length > 0) fs.rmdirSync(place.at(place.leave()));
  }
}

/** Removes everything but folders, and returns the names of the folders. */
function sweep(place: DirCursor): string[] {
  const folders: string[] = [];
  for (const [name, kind] of entriesOf(place)) {
    if (kind === "folder") folders.push(name);
    else fs.unlinkSync(place.at(name));
  }
  return folders;
}

/** Returns the entries of a folder, sorted by the bytes of their names. */
export function entriesOf(place: DirCursor): [string, Kind][] {
  const found = fs.readdirSync(place.at("."), { withFileTypes: true, encoding: "latin1" });
  return found
    .map((entry): [string, Kind] => [entry.name, kindOf(entry)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

export function kindOf(entry: fs.Dirent | fs.Stats): Kind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
