// Walks a tree, and changes modes in it, so that no name that is swapped for a link meanwhile leads out of
// the tree: every folder is entered by a descriptor, and a mode is changed on the file that was opened and
// checked.
import * as fs from "node:fs";
import { constants as flags } from "node:fs";
import { join } from "node:path";
import { CtxError, errnoOf, toIoError } from "../errors.js";
import { anchored, openRegular, usingDescriptor } from "./files.js";

export interface Found {
  path: string;
  stat: fs.Stats;
  /**
   * The open folder; or the path, from the open folder above it, of a file or of a folder that may not be
   * entered. Valid until the next one is found.
   */
  handle: number | string;
}

/**
 * Yields everything in a tree, its own folder first. Skips links, and files that disappear meanwhile; yields
 * a folder that may not be entered without its content.
 */
export function* walk(path: string, at = path): Generator<Found> {
  const stat = fs.lstatSync(at, { throwIfNoEntry: false });
  if (stat === undefined || stat.isSymbolicLink()) return;
  if (!stat.isDirectory()) {
    yield { path, stat, handle: at };
    return;
  }
  const descriptor = openFolder(path, at);
  if (descriptor === undefined) return;
  if (descriptor === "denied") {
    yield { path, stat, handle: at };
    return;
  }
  try {
    yield { path, stat: fs.fstatSync(descriptor), handle: descriptor };
    for (const name of namesIn(path, descriptor))
      yield* walk(join(path, name), anchored(descriptor, name, join(path, name)));
  } finally {
    fs.closeSync(descriptor);
  }
}

function openFolder(path: string, at: string): number | "denied" | undefined {
  try {
    return fs.openSync(at, flags.O_RDONLY | flags.O_DIRECTORY | flags.O_NOFOLLOW);
  } catch (error) {
    if (isSwapped(errnoOf(error))) return undefined;
    if (errnoOf(error) === "EACCES") return "denied";
    throw toIoError(error, path, "list");
  }
}

function namesIn(path: string, descriptor: number): string[] {
  try {
    return fs.readdirSync(anchored(descriptor, ".", path)).sort();
  } catch (error) {
    if (isSwapped(errnoOf(error))) return [];
    throw toIoError(error, path, "list");
  }
}

/** Returns whether a folder or file was replaced or removed a moment ago. */
function isSwapped(errno: unknown): boolean {
  return errno === "ENOENT" || errno === "ELOOP" || errno === "ENOTDIR";
}

/**
 * Changes the mode of a file or folder to the one that `wanted` returns for its present stat. `left`:
 * unchanged, because it belongs to another user, is neither file nor folder, or has a second name, which may
 * be anywhere.
 */
export function changeMode(
  { path, handle }: Found,
  wanted: (stat: fs.Stats) => number,
): "changed" | "same" | "left" {
  const change = (descriptor: number, stat: fs.Stats): "changed" | "same" | "left" => {
    const mode = stat.mode & 0o7777;
    const next = wanted(stat);
    if (next === mode) return "same";
    if (stat.uid !== process.geteuid?.() || (stat.isFile() && stat.nlink > 1)) return "left";
    fs.fchmodSync(descriptor, next);
    return "changed";
  };
  try {
    if (typeof handle === "number") return change(handle, fs.fstatSync(handle));
    const stat = fs.lstatSync(handle);
    if (wanted(stat) === (stat.mode & 0o7777)) return "same";
    if (!stat.isFile()) return "left";
    const file = openRegular(handle);
    return usingDescriptor(file.descriptor, () => change(file.descriptor, file.stat));
  } catch (error) {
    // A cache or a lock may disappear while it is inspected.
    if (isSwapped(errnoOf(error))) return "same";
    if (errnoOf(error) === "EACCES" || error instanceof CtxError) return "left";
    throw toIoError(error, path, "change the mode of");
  }
}
