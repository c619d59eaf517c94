// Finds the steps that the next round may leave out of the order, because moving them might be cheaper: those
// that are out of place now, and those between such a step and its counterpart, since a move of one over the
// other can be expressed in either direction.
import { costs } from "./costs.js";
import { type Alignment, unpaired } from "./alignment.js";
import type { Sequence, Sequences } from "./sequence.js";

/**
 * The cost of leaving each step out of the order because it is moved: Infinity if it cannot be, 0 if that is
 * already decided.
 */
export interface MovePrices {
  a: Float64Array;
  b: Float64Array;
}

export function noMovePrices(lengthA: number, lengthB: number): MovePrices {
  return { a: new Float64Array(lengthA).fill(Infinity), b: new Float64Array(lengthB).fill(Infinity) };
}

/** Half of a move, since the step is left out on both sides. */
const equalPrice = (costs.move + costs.moveStep) / 2;
const sameCallPrice = (costs.move + costs.moveStep + costs.moveOtherOutput) / 2;
/** The order of parallel steps is free; a small cost prefers pairs that are in order. */
const parallelPrice = 0.25;

/** Maximum number of pairs that a step may be moved over for those to be tried instead. */
const maxBetween = 64;

/** Returns the costs for the round after this one; undefined if no step could be moved. */
export function movePricesAfter(sequences: Sequences, alignment: Alignment): MovePrices | undefined {
  const { a, b } = sequences;
  const { toB, toA } = alignment;
  const looseA = loose(toB, (i) => a.full[i] === b.full[toB[i] as number]);
  const looseB = loose(toA, (j) => b.full[j] === a.full[toA[j] as number]);
  const movePrices = noMovePrices(a.length, b.length);
  const hasAny = [allow(a, b, looseA, looseB, movePrices.a), allow(b, a, looseB, looseA, movePrices.b)].some(
    Boolean,
  );
  return allowBetween(sequences, alignment, movePrices) || hasAny ? movePrices : undefined;
}

/** Returns the steps that are not paired with an equal one. */
function loose(partner: Int32Array, isEqual: (at: number) => boolean): number[] {
  const found: number[] = [];
  for (let at = 0; at < partner.length; at++) if ((partner[at] as number) < 0 || !isEqual(at)) found.push(at);
  return found;
}

/** Allows steps to move that have a counterpart among the loose steps of the other run. */
function allow(
  here: Sequence,
  there: Sequence,
  own: number[],
  other: number[],
  prices: Float64Array,
): boolean {
  const fulls = new Set<number>();
  const calls = new Set<number>();
  const parallel = new Set<number>();
  for (const at of other) {
    fulls.add(there.full[at] as number);
    if (there.isTool[at] === 1) calls.add(there.call[at] as number);
    if ((there.group[at] as number) >= 0) parallel.add(there.call[at] as number);
  }
  let hasAny = false;
  for (const at of own) {
    const call = here.call[at] as number;
    let price = Infinity;
    if (calls.has(call)) price = sameCallPrice;
    if (fulls.has(here.full[at] as number)) price = equalPrice;
    if ((here.group[at] as number) >= 0 && parallel.has(call)) price = parallelPrice;
    prices[at] = price;
    hasAny ||= price < Infinity;
  }
  return hasAny;
}

/**
 * Allows pairs to move that lie between a moved step and its destination, or between two unpaired steps with
 * the same call.
 */
function allowBetween(sequences: Sequences, alignment: Alignment, movePrices: MovePrices): boolean {
  const { a, b } = sequences;
  const { toB, toA, moves } = alignment;
  const pairs: [number, number][] = [];
  const beforeA = new Int32Array(a.length);
  for (let i = 0; i < a.length; i++) {
    beforeA[i] = pairs.length;
    const j = toB[i] as number;
    if (j >= 0) pairs.push([i, j]);
  }
  const beforeB = new Int32Array(b.length);
  let count = 0;
  for (let j = 0; j < b.length; j++) {
    beforeB[j] = count;
    if ((toA[j] as number) >= 0) count++;
  }
  let hasAny = false;
  const release = (i: number, j: number): void => {
    const [from, to] = [beforeA[i] as number, beforeB[j] as number].sort((x, y) => x - y) as [number, number];
    if (to - from > maxBetween) return;
    for (const [p, q] of pairs.slice(from, to)) {
      const isEqual = a.full[p] === b.full[q];
      if (!isEqual && a.call[p] !== b.call[q]) continue;
      const price = isEqual ? equalPrice : sameCallPrice;
      movePrices.a[p] = Math.min(movePrices.a[p] as number, price);
      movePrices.b[q] = Math.min(movePrices.b[q] as number, price);
      hasAny = true;
    }
  };
  for (const move of moves) release(move.a, move.b);
  const unpairedB = new Map<number, number[]>();
  for (let j = 0; j < b.length; j++) {
    if (toA[j] !== unpaired) continue;
    const list = unpairedB.get(b.call[j] as number);
    if (list === undefined) unpairedB.set(b.call[j] as number, [j]);
    else list.push(j);
  }
  for (let i = 0; i < a.length; i++) {
    if (toB[i] !== unpaired) continue;
    const j = nearest(unpairedB.get(a.call[i] as number), beforeA[i] as number, beforeB);
    if (j !== undefined) release(i, j);
  }
  return hasAny;
}

/** Returns the position in the list whose number of preceding pairs is closest. */
function nearest(
  places: readonly number[] | undefined,
  target: number,
  before: Int32Array,
): number | undefined {
  if (places === undefined) return undefined;
  let low = 0;
  let high = places.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((before[places[middle] as number] as number) < target) low = middle + 1;
    else high = middle;
  }
  const [left, right] = [places[low - 1], places[low]];
  if (left === undefined || right === undefined) return left ?? right;
  return target - (before[left] as number) < (before[right] as number) - target ? left : right;
}
