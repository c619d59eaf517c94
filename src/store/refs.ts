// Names that people gave: tags, and `latest`. A ref file holds one reference and a line feed; anything else is no ref.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { hexOf, isReference, toReference } from "../base/digest.js";
import { CtxError, errnoOf, toIoError, withPath } from "../base/errors.js";
import { makeFolder, readIfThere } from "../base/files.js";
import { isTagName } from "../model/pack-name.js";
import { withBatch } from "./batch.js";
import { flush, flushFolder } from "./flush.js";
import { latestPath, tagPath } from "./layout.js";

/** The pack that refs/latest names, whether or not it is there; undefined when the file is missing or torn. */
export function readLatest(root: string): string | undefined {
  return readRef(latestPath(root));
}

/** The pack that a tag names, or undefined. */
export function readTag(root: string, tag: string): string | undefined {
  return readRef(tagPath(root, tag));
}

/** All tags, by the pack they name. */
export function tagsByPack(root: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const tag of listTags(root)) {
    const hex = readTag(root, tag);
    if (hex !== undefined) found.set(hex, [...(found.get(hex) ?? []), tag]);
  }
  return found;
}

/** The names of all tags, sorted. */
export function listTags(root: string): string[] {
  const folder = tagPath(root, "");
  try {
    return fs.readdirSync(folder).filter(isTagName).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw toIoError(error, folder, "list");
  }
}

/**
 * Gives a pack a name. A name that is taken stays as it is unless `force` is set; of two writers who take a free one at
 * the same time, one is refused.
 */
export function writeTag(root: string, tag: string, { hex, force }: { hex: string; force: boolean }): void {
  const path = tagPath(root, tag);
  withBatch(root, "add", (batch) => {
    makeFolder(tagPath(root, ""));
    const staged = batch.stage("tag", Buffer.from(`${toReference(hex)}\n`), 0o644);
    flush(root, { files: [staged], folders: [] });
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
        hint: "--force moves it to another pack",
      });
    if (errno !== "EPERM" && errno !== "ENOTSUP" && errno !== "EOPNOTSUPP") throw error;
    fs.renameSync(staged, path);
  }
}

function readRef(path: string): string | undefined {
  const text = refText(path);
  const reference = text.slice(0, -1);
  return text.endsWith("\n") && isReference(reference) ? hexOf(reference) : undefined;
}

/** A link or special file is no ref. */
function refText(path: string): string {
  try {
    return readIfThere(path)?.toString("latin1") ?? "";
  } catch (error) {
    const errno = error instanceof CtxError ? (error.data?.["errno"] ?? "ELOOP") : undefined;
    if (errno === "ELOOP" || errno === "ENXIO" || errno === "EISDIR") return "";
    throw error;
  }
}
