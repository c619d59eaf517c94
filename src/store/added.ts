// What became of packs that were added to a store.
import type { Manifest } from "../model/manifest.js";

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
