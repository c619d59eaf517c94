// Gives tags and takes them away, so that neither a crash nor a second writer leaves half a tag.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { toReference } from "../base/digest.js";
import { CtxError, errnoOf, toIoError, withPath } from "../base/errors.js";
import { makeFolder } from "../base/files.js";
import { type BatchStore, withBatch } from "./with-batch.js";
import { flush, flushFolder } from "./flush.js";
import { tagPath } from "./layout.js";
import { modesOf } from "./modes.js";

/**
 * Gives a pack a name. A name that is taken stays as it is unless `force` is set; of two writers who take a free one at
 * the same time, one is refused.
 */
export function writeTag(
  store: BatchStore,
  tag: string,
  { hex, force }: { hex: string; force: boolean },
): void {
  const { root } = store;
  const path = tagPath(root, tag);
  withBatch(store, "add", (batch) => {
    makeFolder(tagPath(root, ""), modesOf(root).folder);
    const staged = batch.stage("tag", Buffer.from(`${toReference(hex)}\n`), 0o644);
    flush(root, { files: [staged], folders: [] });
    batch.check();
    withPath(path, "create", () => {
      if (force) fs.renameSync(staged, path);
      else linkIfFree(staged, path, tag);
    });
    flush(root, { files: [], folders: [tagPath(root, ""), dirname(tagPath(root, "")), root] });
  });
}

/** Removes a tag; false when there was none. */
export function removeTag(root: string, tag: string): boolean {
  const path = tagPath(root, tag);
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw toIoError(error, path, "remove");
  }
  flushFolder(tagPath(root, ""));
  return true;
}

/** A link, unlike a rename, fails when the name is taken. Where there are no links, a look has to do. */
function linkIfFree(staged: string, path: string, tag: string): void {
  try {
    fs.linkSync(staged, path);
  } catch (error) {
    const errno = errnoOf(error);
    const isTaken = errno === "EEXIST" || fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    if (isTaken)
      throw new CtxError("tag-exists", `the tag ${tag} exists already`, {
        hint: `\`ctx tag --force ${tag} <pack>\` moves it`,
      });
    if (errno !== "EPERM" && errno !== "ENOTSUP" && errno !== "EOPNOTSUPP") throw error;
    fs.renameSync(staged, path);
  }
}
