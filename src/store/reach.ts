// Finds the objects that must stay in a store: everything that a pack, a ref or a draft reaches.
import * as fs from "node:fs";
import { join } from "node:path";
import { hexOf, isHash } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { foldersIn, readIfThere } from "../base/fs/files.js";
import { reached } from "../model/manifest.js";
import { readManifest } from "../model/read-manifest.js";
import { readObject } from "./objects.js";
import { listPacks, readPack } from "./packs.js";
import { listTags, readLatest, readTag } from "./refs.js";
import type { Store } from "./store.js";

/**
 * Returns the objects that one pack keeps: its manifest and the blobs that it names. Throws if the manifest
 * cannot be read. A manifest of a newer ctx may reach its objects in ways that are not known here: it keeps
 * at least every hash that its bytes hold, and `onNewer` is called.
 */
export function keptBy(store: Store, hex: string, onNewer?: () => void): Set<string> {
  const kept = new Set([hex]);
  try {
    for (const reference of reached(readPack(store.root, hex).manifest)) kept.add(hexOf(reference));
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "unknown-version") throw error;
    onNewer?.();
    for (const object of hashesIn(readObject(store.root, hex))) kept.add(object);
  }
  return kept;
}

export interface KeptObjects {
  objects: Set<string>;
  /**
   * How many manifests of a newer ctx are among them. Objects that they reach over several steps are not
   * known here, so nothing may be removed while there is one.
   */
  newer: number;
}

/** Returns all objects that are kept. A damaged pack is an error: its objects are not known. */
export function keptObjects(
  store: Store,
  without: ReadonlySet<string> = new Set(),
  onProgress?: () => void,
): KeptObjects {
  const kept = new Set<string>();
  const newer = new Set<string>();
  for (const hex of listPacks(store.root)) {
    onProgress?.();
    if (without.has(hex)) continue;
    try {
      for (const object of keptBy(store, hex, () => newer.add(hex))) kept.add(object);
    } catch (error) {
      if (!(error instanceof CtxError) || error.code === "io") throw error;
      throw new CtxError(
        "damaged",
        `cannot find out which blobs ctx://${hex.slice(0, 12)} refers to: ${error.message}`,
        {
          hint: `repair it first (\`ctx verify ${hex.slice(0, 12)}\` says how), or remove it with \`ctx rm ${hex.slice(0, 12)}\``,
        },
      );
    }
  }
  // An object that a pack keeps as a content may be a manifest, too: an object that a ref or a draft names is
  // followed even if it is already kept.
  const followed = new Set<string>();
  const follow = (hex: string): void => {
    if (!isHash(hex) || followed.has(hex)) return;
    followed.add(hex);
    keepLoosely(store, hex, kept, () => newer.add(hex));
  };
  for (const hex of named(store)) if (!without.has(hex)) follow(hex);
  for (const hex of draftRefs(store)) follow(hex);
  return { objects: kept, newer: newer.size };
}

function named({ root }: Store): string[] {
  return [readLatest(root) ?? [], ...listTags(root).map((tag) => readTag(root, tag) ?? [])].flat();
}

/**
 * Returns every hash that a draft's log names. A draft that cannot be read is an error: its objects are not
 * known.
 */
function draftRefs({ root }: Store): string[] {
  const folder = join(root, "drafts");
  return foldersIn(folder).flatMap((draft) => {
    const path = join(folder, draft, "execution.json");
    // A folder name that is not valid text leads nowhere, and that is an error, too.
    fs.lstatSync(join(folder, draft));
    return hashesIn(readIfThere(path) ?? Buffer.alloc(0));
  });
}

/** Returns every hash in a text of any size. */
function hashesIn(bytes: Buffer): string[] {
  const found: string[] = [];
  const pieceSize = 1 << 24;
  for (let from = 0; from < bytes.length; from += pieceSize)
    // Slightly more than the piece, for a hash that begins at its end.
    for (const [hash] of bytes.toString("latin1", from, from + pieceSize + 64).matchAll(/[0-9a-f]{64}/g))
      found.push(hash);
  return found;
}

/** Keeps an object that a ref or draft names; if it is a manifest, also the objects that it reaches. */
function keepLoosely(store: Store, hex: string, kept: Set<string>, onNewer: () => void): void {
  kept.add(hex);
  try {
    const { manifest } = readManifest(readObject(store.root, hex), hex);
    for (const reference of reached(manifest)) kept.add(hexOf(reference));
  } catch (error) {
    // An object that is no manifest reaches nothing; one that cannot be read might be a manifest.
    if (!(error instanceof CtxError) || error.code === "io") throw error;
    if (error.code === "unknown-version") onNewer();
  }
}
