// `ctx tag`: names for packs.
import { toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { nearest } from "../base/nearest.js";
import { isTagName } from "../model/pack-name.js";
import type { TagResult, TitleResult } from "../results/log.js";
import { readEntry } from "../store/catalog.js";
import { packTitle } from "../store/titles.js";
import { hasPack } from "../store/packs.js";
import { isDamagedTag, listTags as names, readTag } from "../store/refs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { withBatch } from "../store/batch-lock.js";
import { checkNewTag, removeTag, writeTag } from "../store/write-tags.js";
import { checkTitle, removeTitle, writeTitle } from "../store/write-titles.js";

/** Lists all tags, by name. */
export function listTags(store: Store): TagResult[] {
  // Each pack is read once, however many tags it has.
  const described = new Map<string, TagResult>();
  return names(store.root).map((name) => {
    const hex = readTag(store.root, name);
    if (hex === undefined) return { name, hash: null, present: false };
    const known = described.get(hex) ?? describe(store, name, hex);
    described.set(hex, known);
    return { ...known, name };
  });
}

/** Returns whether a tag names this pack. */
export function isTagOf(store: Store, name: string, hex: string): boolean {
  return readTag(store.root, name) === hex;
}

/** Tags a pack. `pack` is any name of it; default: `latest`. */
export function setTag(
  store: Store,
  name: string,
  options: { pack?: string; force?: boolean } = {},
): TagResult {
  checkTagName(name);
  const hex = resolvePack(store, options.pack ?? "latest");
  const before = readTag(store.root, name);
  writeTag(store, name, { hex, force: options.force ?? false });
  return { ...describe(store, name, hex), change: before === undefined ? "created" : "moved" };
}

/** Deletes a tag; the pack stays. */
export function deleteTag(store: Store, name: string): TagResult {
  checkTagName(name);
  return withBatch(store, "add", () => removeNamed(store, name));
}

export { checkTitle } from "../store/write-titles.js";

/**
 * Sets the title of a pack, or with an empty text removes it. `pack` is any name of it; default: `latest`.
 */
export function setTitle(store: Store, text: string, options: { pack?: string } = {}): TitleResult {
  if (text !== "") checkTitle(text);
  const hex = resolvePack(store, options.pack ?? "latest");
  const hash = toReference(hex);
  if (text !== "") {
    writeTitle(store, hex, text);
    return { hash, title: text, change: "set" };
  }
  const isRemoved = withBatch(store, "add", () => removeTitle(store.root, hex));
  return { hash, title: packTitle(store.root, hex) ?? null, change: isRemoved ? "removed" : "unchanged" };
}

function removeNamed(store: Store, name: string): TagResult {
  const hex = readTag(store.root, name);
  if (hex === undefined && isDamagedTag(store.root, name) && removeTag(store.root, name))
    return { name, hash: null, present: false, change: "removed" };
  if (hex === undefined || !removeTag(store.root, name)) {
    const near = nearest(name, names(store.root));
    throw new CtxError("not-found", `there is no tag "${name}"`, {
      hint: near === undefined ? "`ctx tag` lists the tags" : `did you mean ${near}?`,
    });
  }
  return { ...describe(store, name, hex), change: "removed" };
}

/** Throws if a new pack could not get this tag; called before anything is packed. */
export function checkTagBefore(store: Store, name: string): void {
  checkTagName(name);
  if (!names(store.root).includes(name)) checkNewTag(store.root, name);
}

function checkTagName(name: string): void {
  if (isTagName(name)) return;
  throw new CtxError("usage", `"${name}" is not a valid name for a tag`, {
    hint: "use letters, digits, dots, dashes and underscores, starting with a letter or digit; not latest, and not only hex digits",
  });
}

function describe(store: Store, name: string, hex: string): TagResult {
  const entry = hasPack(store.root, hex) ? readEntry(store.root, hex) : undefined;
  const found = { name, hash: toReference(hex), present: entry !== undefined };
  if (entry === undefined || "damage" in entry.content) return found;
  const title = packTitle(store.root, hex, entry);
  const { created, model } = entry.content;
  return { ...found, created, model, ...(title === undefined ? {} : { title }) };
}
