// Divides the blobs of a pack into layers: each large one by itself, so that registries store it once; small
// ones together, in tars that are split by the first digits of the hashes, so that few tars change when few
// blobs do.
import { blockSize, entrySize, tarEnd } from "./tar.js";

export interface SizedBlob {
  hex: string;
  size: number;
}

export interface LayerPlan {
  tars: { prefix: string; size: number; blobs: SizedBlob[] }[];
  large: SizedBlob[];
}

/** Blobs at least this large are layers of their own. */
export const leastLarge = 64 << 10;
/** The most bytes of a tar before it is split. */
const maxInTar = 4 << 20;
/** The most layers. Registries and clients have limits of their own; this is far below them. */
const maxLayers = 1000;

/**
 * Returns the layers of these blobs, which depend on names and sizes only. Both size limits double until
 * there are few enough layers.
 */
export function planLayers(blobs: readonly SizedBlob[]): LayerPlan {
  const sorted = [...blobs].sort((a, b) => (a.hex < b.hex ? -1 : 1));
  for (let factor = 1; ; factor *= 2) {
    const small = sorted.filter(({ size }) => size < leastLarge * factor);
    const large = sorted.filter(({ size }) => size >= leastLarge * factor);
    const tars = [...split(small, "", maxInTar * factor)];
    // The manifest is a layer, too.
    if (1 + tars.length + large.length <= maxLayers) return { tars, large };
  }
}

function* split(blobs: SizedBlob[], prefix: string, most: number): Generator<LayerPlan["tars"][number]> {
  if (blobs.length === 0) return;
  const size = blobs.reduce((sum, blob) => sum + entrySize(blob.size), tarEnd.length);
  if (size <= most || blobs.length === 1) {
    yield { prefix, size, blobs };
    return;
  }
  for (const digit of "0123456789abcdef") {
    const longer = prefix + digit;
    yield* split(
      blobs.filter(({ hex }) => hex.startsWith(longer)),
      longer,
      most,
    );
  }
}

/** The size of the smallest tar: one empty file. */
export const leastTar = blockSize + tarEnd.length;
