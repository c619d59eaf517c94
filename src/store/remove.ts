// Removes files of a store so that a process which lost its lock removes nothing more. A file is first
// renamed into the process's own folder in tmp/. A process that takes over the lock removes that folder
// first, so the rename fails.
import * as fs from "node:fs";
import { dirname, relative } from "node:path";
import { errnoOf, toIoError, withPath } from "../base/errors.js";
import { below } from "../base/fs/files.js";
import { flushFolder } from "../base/fs/flush.js";
import type { Batch } from "./batch.js";
import { lostLock } from "./lock.js";

/** How many files are removed before the lock is checked again. */
const batchSize = 256;

/** Removes files. One that is gone already is fine; a lost lock throws, and nothing more is removed. */
export function removeFiles(batch: Batch, paths: readonly string[]): void {
  for (let from = 0; from < paths.length; from += batchSize) {
    batch.check();
    const taken = paths
      .slice(from, from + batchSize)
      .flatMap((path, at) => stageRemoval(batch, path, at) ?? []);
    for (const path of taken) withPath(path, "remove", () => fs.rmSync(path, { force: true }));
  }
}

function stageRemoval(batch: Batch, path: string, at: number): string | undefined {
  const removed = `${batch.folder}/removed-${at}`;
  return withPath(path, "remove", () => {
    try {
      // ctx puts no folder here, and a folder would be removed with everything in it.
      if (fs.lstatSync(path).isDirectory())
        throw Object.assign(new Error("it is a folder"), { code: "EISDIR", syscall: "rename" });
      fs.renameSync(path, removed);
      return removed;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno !== "ENOENT" && errno !== "ENOTDIR") throw error;
      if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw lostLock();
      return undefined;
    }
  });
}

/** Removes one file of a store, durably and without a lock; false if there was none. */
export function removeDurably(root: string, path: string): boolean {
  try {
    // Never follows a link in place of a folder to a file elsewhere.
    below(root, relative(root, path), (file) => fs.unlinkSync(file));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw toIoError(error, path, "remove");
  }
  flushFolder(dirname(path));
  return true;
}
