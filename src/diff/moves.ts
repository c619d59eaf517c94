// Finds steps that one run took elsewhere: unpaired on both sides, and equal; or a single tool step with a
// different output.
import { appendAll } from "../base/lists.js";
import { costs } from "./costs.js";
import { type Alignment, type Move, moved, unpaired } from "./alignment.js";
import type { Sequences } from "./sequence.js";

/** Maximum number of positions examined for a step that occurs many times. */
const manyPositions = 1024;
const nearbyRanks = 4;

interface MoveCandidate {
  a: number;
  b: number;
  count: number;
  gain: number;
}

/** Marks moves in the alignment as long as each makes it cheaper. */
export function findMoves(sequences: Sequences, alignment: Alignment): void {
  for (let pass = 0; pass < 4; pass++) {
    const before = alignment.moves.length;
    acceptBest(sequences, alignment, [
      ...stretches(sequences, alignment, "full"),
      ...stretches(sequences, alignment, "call"),
    ]);
    if (alignment.moves.length === before) break;
  }
}

/**
 * Returns what taking these steps out of their stretches saves on both sides, less the cost of their moves.
 */
function moveGain(sequences: Sequences, { toB, toA }: Alignment, { a, b, count }: MoveCandidate): number {
  let price = 0;
  for (const move of movesOf(sequences, a, b, count)) price += movePrice(sequences, move);
  return stretchSavings(toB, a, count) + stretchSavings(toA, b, count) - price;
}

function movePrice({ a, b }: Sequences, move: Move): number {
  const other = a.full[move.a] === b.full[move.b] ? 0 : costs.moveOtherOutput;
  return costs.move + costs.moveStep * move.count + other;
}

/**
 * Splits a stretch of steps with the same calls into moves: equal steps in a row, and each step with a
 * different output alone.
 */
function* movesOf({ a, b }: Sequences, i: number, j: number, count: number): Generator<Move> {
  let k = 0;
  while (k < count) {
    let length = 0;
    while (k + length < count && a.full[i + k + length] === b.full[j + k + length]) length++;
    if (length === 0) length = 1;
    yield { a: i + k, b: j + k, count: length };
    k += length;
  }
}

function stretchSavings(partner: Int32Array, start: number, count: number): number {
  const left = start > 0 && partner[start - 1] === unpaired ? 1 : 0;
  const right = start + count < partner.length && partner[start + count] === unpaired ? 1 : 0;
  return costs.stretchStep * count + costs.stretch * (1 - left - right);
}

/**
 * Returns the longest stretches of unpaired steps that match, from every pair of positions where one could
 * begin.
 */
function stretches({ a, b }: Sequences, { toB, toA }: Alignment, key: "full" | "call"): MoveCandidate[] {
  const found: MoveCandidate[] = [];
  const fits = (i: number, j: number): boolean =>
    i >= 0 &&
    j >= 0 &&
    toB[i] === unpaired &&
    toA[j] === unpaired &&
    // Prose is moved only if it is equal: all prose has the same call.
    (a.full[i] === b.full[j] || (key === "call" && a.isTool[i] === 1 && a.call[i] === b.call[j]));
  eachMatch(a[key], toB, b[key], toA, (i, j) => {
    if (!fits(i, j) || fits(i - 1, j - 1)) return;
    let count = 1;
    while (fits(i + count, j + count)) count++;
    found.push({ a: i, b: j, count, gain: 0 });
  });
  return found;
}

/**
 * Calls `take` with unpaired steps of both runs that have the same key: with all, or, if there are many, with
 * those of similar rank.
 */
function eachMatch(
  keysA: Int32Array,
  toB: Int32Array,
  keysB: Int32Array,
  toA: Int32Array,
  visit: (i: number, j: number) => void,
): void {
  const positionsB = positionsByKey(keysB, toA);
  if (positionsB.size === 0) return;
  for (const [key, listA] of positionsByKey(keysA, toB)) {
    const listB = positionsB.get(key);
    if (listB === undefined) continue;
    const all = listA.length * listB.length <= manyPositions;
    listA.forEach((i, rank) => {
      if (all) {
        for (const j of listB) visit(i, j);
        return;
      }
      const near = new Set<number>();
      const fromEnd = listB.length - (listA.length - rank);
      for (let k = -nearbyRanks; k <= nearbyRanks; k++) near.add(rank + k).add(fromEnd + k);
      for (const at of [...near].sort((x, y) => x - y)) {
        const j = listB[at];
        if (j !== undefined) visit(i, j);
      }
    });
  }
}

function positionsByKey(keys: Int32Array, partner: Int32Array): Map<number, number[]> {
  const positions = new Map<number, number[]>();
  for (let i = 0; i < keys.length; i++) {
    if (partner[i] !== unpaired) continue;
    const list = positions.get(keys[i] as number);
    if (list === undefined) positions.set(keys[i] as number, [i]);
    else list.push(i);
  }
  return positions;
}

/** Accepts the candidates that save most, as far as their steps are still free when their turn comes. */
function acceptBest(sequences: Sequences, alignment: Alignment, candidates: MoveCandidate[]): void {
  const rate = (candidate: MoveCandidate): number =>
    (candidate.gain = moveGain(sequences, alignment, candidate));
  for (const candidate of candidates) rate(candidate);
  let queue = candidates;
  while (queue.length > 0) {
    queue.sort((x, y) => y.gain - x.gain || y.count - x.count || x.a - y.a || x.b - y.b);
    const later: MoveCandidate[] = [];
    for (const candidate of queue) {
      const gain = candidate.gain;
      if (!trimToFree(alignment, candidate) || rate(candidate) <= 0) continue;
      if (candidate.gain < gain) later.push(candidate);
      else accept(sequences, alignment, candidate);
    }
    queue = later;
  }
}

/** Trims a candidate to its longest part that is still free on both sides. */
function trimToFree({ toB, toA }: Alignment, candidate: MoveCandidate): boolean {
  let best = 0;
  let bestEnd = 0;
  let length = 0;
  for (let k = 0; k < candidate.count; k++) {
    length = toB[candidate.a + k] === unpaired && toA[candidate.b + k] === unpaired ? length + 1 : 0;
    if (length > best) {
      best = length;
      bestEnd = k + 1;
    }
  }
  candidate.a += bestEnd - best;
  candidate.b += bestEnd - best;
  candidate.count = best;
  return best > 0;
}

function accept(sequences: Sequences, { toB, toA, moves }: Alignment, { a, b, count }: MoveCandidate): void {
  appendAll(moves, movesOf(sequences, a, b, count));
  toB.fill(moved, a, a + count);
  toA.fill(moved, b, b + count);
}
