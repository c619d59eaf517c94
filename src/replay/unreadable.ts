// Examines an output of the run that cannot simply be read. A command may have turned it into a folder, a
// link or a file without permissions: something exists there, so it must not pass for a file that no step
// made.
import * as fs from "node:fs";
import { constants as flags } from "node:fs";
import { errnoOf } from "../base/errors.js";
import { usingDescriptor } from "../base/fs/files.js";
import { StepFailure } from "./outcome.js";
import { DirCursor, toBytes, usingFile } from "./dir-cursor.js";
import { partsOf } from "./reach.js";

/** Opens by name alone, which needs no permission (Linux only). */
const byName = 0o10000000 | flags.O_NOFOLLOW;

/**
 * Returns what exists at a path that could not be read: the result of `read` if the file and the folders on
 * the way are ours, so that they can be opened meanwhile, and otherwise a text that names its kind. Undefined
 * if nothing is there.
 */
export function identifyUnreadable(root: string, path: string, read: ReadUnreadable): string | undefined {
  const opened = new Opened();
  let cursor: DirCursor | undefined;
  try {
    // A command may have closed the workspace itself.
    opened.allow(root, fs.lstatSync(root), 0o500);
    cursor = new DirCursor(root);
    return identifyFrom(cursor, partsOf(toBytes(path)), { read, opened });
  } catch (error) {
    const errno = error instanceof StepFailure ? error.reason : errnoOf(error);
    if (errno === undefined) throw error;
    return errno === "ENOENT" || errno === "ENOTDIR" ? undefined : `unreadable: ${errno}`;
  } finally {
    cursor?.close();
    opened.close();
  }
}

type ReadUnreadable = (descriptor: number, stat: fs.Stats) => string;

function identifyFrom(
  cursor: DirCursor,
  parts: readonly string[],
  { read, opened }: { read: ReadUnreadable; opened: Opened },
): string | undefined {
  for (const [at, name] of parts.entries()) {
    const stat = fs.lstatSync(cursor.at(name), { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const isLast = at === parts.length - 1;
    if (stat.isSymbolicLink()) return identity("link", stat);
    if (isLast && stat.isDirectory()) return "folder";
    if (isLast && !stat.isFile()) return identity("special file", stat);
    if (!opened.allow(cursor.at(name), stat, isLast ? 0o400 : 0o500)) return identity("closed", stat);
    if (isLast) return usingFile(cursor.at(name), flags.O_RDONLY, read, stat);
    cursor.enter(name);
  }
  return undefined;
}

function identity(kind: string, { ino, size, mtimeMs, ctimeMs }: fs.Stats): string {
  return `${kind} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Files and folders that temporarily have more permissions. */
class Opened {
  readonly #modes: { descriptor: number; mode: number }[] = [];

  /** Adds missing permissions, and returns whether all of them are now set. */
  allow(path: string | Buffer, { mode }: fs.Stats, needed: number): boolean {
    if ((mode & needed) === needed) return true;
    if (process.platform !== "linux") return false;
    // By descriptor, so that a file swapped in meanwhile does not get another mode.
    const descriptor = fs.openSync(path, byName);
    try {
      fs.chmodSync(`/proc/self/fd/${descriptor}`, (mode | needed) & 0o7777);
    } catch (error) {
      fs.closeSync(descriptor);
      if (errnoOf(error) === undefined) throw error;
      return false;
    }
    this.#modes.push({ descriptor, mode });
    return true;
  }

  /** Removes them again, so that the next step finds what the last one left. */
  close(): void {
    for (const { descriptor, mode } of this.#modes.splice(0).reverse())
      usingDescriptor(descriptor, () => fs.chmodSync(`/proc/self/fd/${descriptor}`, mode & 0o7777));
  }
}
