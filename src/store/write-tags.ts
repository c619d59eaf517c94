// Writes and removes tags, so that neither a crash nor a second writer leaves half a tag.
import { dirname } from "node:path";
import { toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { makeFolder } from "../base/fs/files.js";
import { newTagProblem } from "../model/pack-name.js";
import { type BatchStore, withBatch } from "./batch-lock.js";
import { flush } from "../base/fs/flush.js";
import { tagPath } from "./layout.js";
import { removeDurably } from "./remove.js";
import { modesOf } from "./modes.js";
import { listTags } from "./refs.js";

/**
 * Writes a tag. Refuses a name that exists unless `force` is set, a new name that another tag has in
 * different case, and a new name that Windows cannot store. Of two writers that create the same tag at once,
 * one is refused.
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
    const isNew = !listTags(root).includes(tag);
    if (isNew) checkNewTag(root, tag);
    const staged = batch.stage("tag", Buffer.from(`${toReference(hex)}\n`), 0o644);
    if (force) batch.moveIn(staged, path);
    else if (!batch.moveInIfFree(staged, path)) throw taken(tag);
    if (isNew) undoIfNotAlone(root, tag);
    flush(root, { files: [], folders: [tagPath(root, ""), dirname(tagPath(root, "")), root] });
  });
}

function taken(tag: string): CtxError {
  return new CtxError("tag-exists", `the tag "${tag}" already exists`, {
    hint: `\`ctx tag --force ${tag} <pack>\` moves it`,
  });
}

/** Throws if no tag of this name may be created. */
export function checkNewTag(root: string, tag: string): void {
  const problem = newTagProblem(tag);
  if (problem !== undefined)
    throw new CtxError("usage", `"${tag}" ${problem}`, {
      hint: "choose a name that is valid on every system",
    });
  const other = inOtherCase(root, tag);
  if (other !== undefined)
    throw new CtxError(
      "tag-exists",
      `the tag "${other}" already exists, and differs from "${tag}" only in case`,
      {
        hint: `many file systems cannot store both: choose another name, or remove it with \`ctx tag -d ${other}\``,
      },
    );
}

/** Returns a tag that differs from this one only in case. */
function inOtherCase(root: string, tag: string): string | undefined {
  const lower = tag.toLowerCase();
  return listTags(root).find((other) => other !== tag && other.toLowerCase() === lower);
}

/** Removes the tag again, and throws, if another writer created it in different case at the same time. */
function undoIfNotAlone(root: string, tag: string): void {
  if (inOtherCase(root, tag) === undefined) return;
  removeTag(root, tag);
  checkNewTag(root, tag);
}

/** Removes a tag; false if there was none. */
export function removeTag(root: string, tag: string): boolean {
  return removeDurably(root, tagPath(root, tag));
}
