// How the blobs of a pack become layers: large ones by themselves, so that registries store each once; small ones together,
// in tars that are split by the first digits of the hashes, so that few of them change when few blobs do.
import { blockSize, entrySize, tarEnd } from "./tar.js";

export interface Sized {
  hex: string;
  size: number;
}

export interface LayerPlan {
  tars: { prefix: string; size: number; blobs: Sized[] }[];
  large: Sized[];
}

/** From this size on a blob is a layer of its own. */
export const leastLarge = 64 << 10;
/** What a tar may have before it is split. */
const mostInTar = 4 << 20;
/** Registries and clients have limits of their own; these are far below. */
const mostLayers = 1000;

/** The layers of these blobs, which are a function of names and sizes only. Both sizes double until there are few enough. */
export function planLayers(blobs: readonly Sized[]): LayerPlan {
  const sorted = [...blobs].sort((a, b) => (a.hex < b.hex ? -1 : 1));
  for (let factor = 1; ; factor *= 2) {
    const small = sorted.filter(({ size }) => size < leastLarge * factor);
    const large = sorted.filter(({ size }) => size >= leastLarge * factor);
    const tars = [...split(small, "", mostInTar * factor)];
    // The manifest is a layer, too.
    if (1 + tars.length + large.length <= mostLayers) return { tars, large };
  }
}

function* split(blobs: Sized[], prefix: string, most: number): Generator<LayerPlan["tars"][number]> {
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

/** The fewest bytes that a tar can have: one empty file. */
export const leastTar = blockSize + tarEnd.length;
