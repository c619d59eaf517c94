// The results of adding packs to a store.
import { hexOf } from "../base/digest.js";
import { type Manifest, reached } from "../model/manifest.js";

export interface AddedPack {
  hex: string;
  manifest: Manifest;
  /** Whether its entry in packs/ exists. */
  isThere: boolean;
  /** Whether the entry is also sound. */
  isSealed: boolean;
}

export interface Added extends AddedPack {
  /** False if the pack existed, or an earlier pack of the same commit is equal. */
  isNew: boolean;
  bytesNew: number;
  bytesShared: number;
  /** Objects that were damaged and are whole again. */
  repaired: string[];
  /** Describes a failure after the pack was durable. */
  notice: string | undefined;
}

export type Sizes = Pick<Added, "bytesNew" | "bytesShared">;

/** Returns the blobs that a pack reaches, and its own object. */
export function objectsOf({ hex, manifest }: AddedPack): Set<string> {
  // A long run refers to the same few contents many times.
  const references = new Set(reached(manifest));
  const found = new Set<string>();
  for (const reference of references) found.add(hexOf(reference));
  return found.add(hex);
}

/** Returns the first of equal packs. */
export function firstOfEach(packs: readonly AddedPack[]): Set<AddedPack> {
  const first = new Map(packs.toReversed().map((pack) => [pack.hex, pack]));
  return new Set(first.values());
}

export function union(sets: readonly ReadonlySet<string>[]): Set<string> {
  const all = new Set<string>();
  for (const set of sets) for (const item of set) all.add(item);
  return all;
}

/**
 * Computes how many bytes of each pack are new, and how many were stored before or came with an earlier run.
 * Blobs that packs of one run share count once.
 */
export function sizesOf(
  runs: readonly (readonly AddedPack[])[],
  objects: ReadonlyMap<AddedPack, ReadonlySet<string>>,
  blobOf: (hex: string) => { size: number; isStaged: boolean } | undefined,
): Map<AddedPack, Sizes> {
  const sizes = new Map<AddedPack, Sizes>();
  const before = new Set<string>();
  for (const packs of runs) {
    const own = new Set<string>();
    for (const pack of packs) {
      const size: Sizes = { bytesNew: 0, bytesShared: 0 };
      for (const hex of objects.get(pack) ?? []) {
        if (own.has(hex)) continue;
        const blob = blobOf(hex);
        if (blob?.isStaged === true && !before.has(hex)) {
          size.bytesNew += blob.size;
          own.add(hex);
        } else if (hex !== pack.hex) size.bytesShared += blob?.size ?? 0;
      }
      sizes.set(pack, size);
    }
    for (const hex of own) before.add(hex);
  }
  return sizes;
}
