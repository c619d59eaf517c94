// Names that people chose: tags, and `latest`. A ref file holds one reference and a line feed; anything else
// is no ref. This file only reads them: tags are written elsewhere, because that needs locks and flushes,
// which take time to load.
import * as fs from "node:fs";
import { hexOf, isReference } from "../base/digest.js";
import { CtxError, errnoOf, toIoError } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import { addTo } from "../base/lists.js";
import { isTagName } from "../model/pack-name.js";
import type { LostTag } from "../results/log.js";
import { latestPath, packPath, tagPath } from "./layout.js";

/**
 * Returns the pack that refs/latest names, whether or not it exists; undefined if the file is missing or
 * torn.
 */
export function readLatest(root: string): string | undefined {
  return readRef(latestPath(root));
}

/**
 * Returns the pack that a tag names, or undefined. An invalid tag name names nothing: it could lead out of
 * the folder.
 */
export function readTag(root: string, tag: string): string | undefined {
  return isTagName(tag) ? readRef(tagPath(root, tag)) : undefined;
}

/** Returns whether a file with a tag's name is no ref. */
export function isDamagedTag(root: string, tag: string): boolean {
  const stat = isTagName(tag) ? fs.lstatSync(tagPath(root, tag), { throwIfNoEntry: false }) : undefined;
  return stat !== undefined && readTag(root, tag) === undefined;
}

/** Returns all tags, by the pack they name. */
export function tagsByPack(root: string): Map<string, string[]> {
  return readTags(root).byPack;
}

/** Returns all tags by pack, and the problems of those that name no pack in this store. */
export function readTags(root: string): { byPack: Map<string, string[]>; lost: LostTag[] } {
  const byPack = new Map<string, string[]>();
  const lost: LostTag[] = [];
  for (const name of listTags(root)) {
    const hex = readTag(root, name);
    if (hex === undefined) lost.push({ name, message: "it is damaged" });
    else addTo(byPack, hex, name);
  }
  for (const [hex, names] of byPack)
    if (fs.lstatSync(packPath(root, hex), { throwIfNoEntry: false }) === undefined)
      for (const name of names) lost.push({ name, message: `ctx://${hex} is not in this store` });
  return { byPack, lost };
}

/** Returns the names of all tags, sorted. */
export function listTags(root: string): string[] {
  const folder = tagPath(root, "");
  try {
    if (fs.lstatSync(folder).isSymbolicLink())
      throw new CtxError("store-unusable", `${folder} is a link, so ctx does not read tags from it`, {
        hint: "the folders of a store cannot be links; replace the link by the real folder",
      });
    return fs.readdirSync(folder).filter(isTagName).sort();
  } catch (error) {
    if (error instanceof CtxError) throw error;
    if (errnoOf(error) === "ENOENT") return [];
    throw toIoError(error, folder, "list");
  }
}

function readRef(path: string): string | undefined {
  const text = refText(path);
  const reference = text.slice(0, -1);
  return text.endsWith("\n") && isReference(reference) ? hexOf(reference) : undefined;
}

/** Reads a ref file; empty for a link or special file, which is no ref. */
function refText(path: string): string {
  try {
    return readIfThere(path)?.toString("latin1") ?? "";
  } catch (error) {
    const errno = error instanceof CtxError ? (error.data?.["errno"] ?? "ELOOP") : undefined;
    if (errno === "ELOOP" || errno === "ENXIO" || errno === "EISDIR") return "";
    throw error;
  }
}
