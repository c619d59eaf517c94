// Contents of a log that are kept beside it: files below its folder. Nothing there is trusted: no link is
// followed, no path leads out, and only regular files count.
import * as fs from "node:fs";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import {
  type OpenFile,
  openRegular,
  piecesOf,
  readWhole,
  usingRegular,
  withBelow,
} from "../base/fs/files.js";
import type { StoredContent } from "../model/content.js";
import type { Sink } from "./content-sink.js";

export { namesOnly, type Sink } from "./content-sink.js";

/** The source of the `…_file` contents of a log. */
export interface LogFiles {
  /** Returns the problem with a path, if any. */
  problem(path: string): string | undefined;
  /** Adds the content of the file. */
  add(path: string, sink: Sink): StoredContent;
}

/** Larger files are not held in memory. */
const maxHeld = 1 << 24;

/** Calls `use` with the files below a folder. */
export function withFilesBelow<T>(folder: string, use: (files: LogFiles) => T): T {
  return withBelow(folder, (enter) => {
    const open = <U>(path: string, work: (file: OpenFile) => U): U => {
      if (isOutside(path)) throw new CtxError("io", `${path} is not a file below ${folder}`);
      return withPath(path, "read", () => enter(path, (file) => usingRegular(file, work)));
    };
    return use({
      problem(path) {
        if (isOutside(path)) return `"${path}" is not below the log's folder`;
        return problemOf(path, () => enter(path, checkReadable));
      },
      add: (path, sink) =>
        open(path, ({ descriptor, size }) =>
          size <= maxHeld
            ? sink.addBytes(readWhole(descriptor))
            : sink.addPieces({ [Symbol.iterator]: () => piecesOf(descriptor, { from: 0 }) }),
        ),
    });
  });
}

function isOutside(path: string): boolean {
  return path === "" || path.includes("\0") || path.startsWith("/") || path.split("/").includes("..");
}

/**
 * Throws if a file is not regular, or may not be read. Most files are world-readable, which their mode shows.
 */
function checkReadable(file: string): void {
  const stat = fs.lstatSync(file);
  if (!stat.isFile() || (stat.mode & 0o444) !== 0o444) fs.closeSync(openRegular(file).descriptor);
}

function problemOf(path: string, check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CtxError) return `"${path}" is not a regular file`;
    switch (errnoOf(error)) {
      case undefined:
        throw error;
      case "ENOENT":
        return `there is no file "${path}"`;
      case "ELOOP":
      case "ENOTDIR":
        return `"${path}" is reached through a link, or a part of the path is not a folder`;
      default:
        return `"${path}" cannot be read (${errnoOf(error)})`;
    }
  }
}
