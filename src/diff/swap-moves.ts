// Tries moves in the opposite direction. Moving one stretch over another can be expressed either way, and the
// two do not always cost the same: here the moved steps are paired where they are, and those that they were
// moved over are released.
import { type Alignment, extra, type Move, pair, unpaired } from "./alignment.js";

/**
 * Maximum number of pairs that a stretch may be moved over for them to be moved instead, and of such tries.
 */
const maxBetween = 64;
const maxTries = 16;

/** Yields alignments with one cluster of moves swapped; the steps that it was moved over are unpaired. */
export function* swappedAlignments(alignment: Alignment, most: number): Generator<Alignment> {
  const { toB, toA } = alignment;
  const pairs: [number, number][] = [];
  const beforeA = new Int32Array(toB.length);
  for (let i = 0; i < toB.length; i++) {
    beforeA[i] = pairs.length;
    if ((toB[i] as number) >= 0) pairs.push([i, toB[i] as number]);
  }
  const beforeB = new Int32Array(toA.length);
  for (let j = 0, count = 0; j < toA.length; j++) {
    beforeB[j] = count;
    if ((toA[j] as number) >= 0) count++;
  }
  const clusters = new Map<string, Move[]>();
  for (const move of alignment.moves) {
    const key = `${beforeA[move.a]} ${beforeB[move.b]}`;
    const list = clusters.get(key);
    if (list === undefined) clusters.set(key, [move]);
    else list.push(move);
  }
  let tries = 0;
  for (const cluster of clusters.values()) {
    const [{ a, b }] = cluster as [Move];
    const [from, to] = [beforeA[a] as number, beforeB[b] as number].sort((x, y) => x - y) as [number, number];
    if (from === to || to - from > maxBetween) continue;
    if (tries++ >= Math.min(most, maxTries)) return;
    yield withSwapped(alignment, cluster, pairs.slice(from, to));
  }
}

function withSwapped(
  old: Alignment,
  cluster: readonly Move[],
  between: readonly [number, number][],
): Alignment {
  const gone = new Set(cluster);
  const changed: Alignment = {
    toB: old.toB.map((state) => (state === extra ? unpaired : state)),
    toA: old.toA.map((state) => (state === extra ? unpaired : state)),
    moves: old.moves.filter((move) => !gone.has(move)).map((move) => ({ ...move })),
    retries: [],
  };
  for (const [i, j] of between) {
    changed.toB[i] = unpaired;
    changed.toA[j] = unpaired;
  }
  for (const { a, b, count } of cluster) {
    changed.toB.fill(unpaired, a, a + count);
    changed.toA.fill(unpaired, b, b + count);
  }
  for (const { a, b, count } of longestInOrder(cluster))
    for (let k = 0; k < count; k++) pair(changed, a + k, b + k);
  return changed;
}

/** Returns the moves of a cluster that keep their order and hold the most steps. */
function longestInOrder(cluster: readonly Move[]): Move[] {
  const sorted = [...cluster].sort((x, y) => x.a - y.a);
  const best: { weight: number; previous: number }[] = [];
  sorted.forEach((move, at) => {
    let [weight, previous] = [0, -1];
    for (let k = 0; k < at; k++) {
      const other = sorted[k] as Move;
      const reached = (best[k] as { weight: number }).weight;
      if (other.b < move.b && reached > weight) [weight, previous] = [reached, k];
    }
    best.push({ weight: weight + move.count, previous });
  });
  let at = best.reduce((top, { weight }, k) => (weight > (best[top]?.weight ?? 0) ? k : top), 0);
  const chain: Move[] = [];
  for (; at >= 0; at = best[at]?.previous ?? -1) chain.push(sorted[at] as Move);
  return chain.reverse();
}
