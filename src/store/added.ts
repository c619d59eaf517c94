// What became of packs that were added to a store.
import { hexOf } from "../base/digest.js";
import { type Manifest, reached } from "../model/manifest.js";

export interface AddedPack {
  hex: string;
  manifest: Manifest;
  /** False when the pack was there already. */
  isNew: boolean;
  /** Whether its entry in packs/ is there, and sound. */
  isSealed: boolean;
}

export interface Added extends AddedPack {
  bytesNew: number;
  bytesShared: number;
  /** Objects that were damaged and are whole again. */
  repaired: string[];
  /** What did not work after the pack was durable. */
  notice: string | undefined;
}

export type Sizes = Pick<Added, "bytesNew" | "bytesShared">;

/** The blobs that packs reach, and the objects that they are. */
export function objectsOf(packs: readonly AddedPack[]): Set<string> {
  const found = new Set<string>();
  for (const { hex, manifest } of packs) {
    for (const reference of reached(manifest)) found.add(hexOf(reference));
    found.add(hex);
  }
  return found;
}

/** How many bytes of packs are new, and how many were there, or came with a run before. What packs of a run share counts once. */
export function sizesOf(
  runs: readonly (readonly AddedPack[])[],
  blobOf: (hex: string) => { size: number; aside: boolean } | undefined,
): Map<AddedPack, Sizes> {
  const sizes = new Map<AddedPack, Sizes>();
  const before = new Set<string>();
  for (const packs of runs) {
    const own = new Set<string>();
    for (const pack of packs) {
      const size: Sizes = { bytesNew: 0, bytesShared: 0 };
      for (const hex of objectsOf([pack])) {
        if (own.has(hex)) continue;
        const blob = blobOf(hex);
        if (blob?.aside === true && !before.has(hex)) {
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
