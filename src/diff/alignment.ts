// An explanation of how one run became the other, and its cost by the costs in costs.ts.
import { costs } from "./costs.js";
import type { Sequence, Sequences } from "./sequence.js";
import { closeLevel, type Words } from "./parameter-similarity.js";

export interface Move {
  a: number;
  b: number;
  count: number;
}

export interface Retry {
  /** Position of the paired step. */
  a: number;
  b: number;
  extraA: number[];
  extraB: number[];
}

/** Values in place of a partner's position, for steps that have no partner. */
export const unpaired = -1;
export const moved = -2;
export const extra = -3;

export interface Alignment {
  /** The partner in b of each step of a, and vice versa. Only pairs of parallel steps may cross. */
  toB: Int32Array;
  toA: Int32Array;
  moves: Move[];
  retries: Retry[];
}

export function emptyAlignment(lengthA: number, lengthB: number): Alignment {
  return {
    toB: new Int32Array(lengthA).fill(unpaired),
    toA: new Int32Array(lengthB).fill(unpaired),
    moves: [],
    retries: [],
  };
}

export function pair(alignment: Alignment, i: number, j: number): void {
  alignment.toB[i] = j;
  alignment.toA[j] = i;
}

/** Returns the cost of pairing two steps. */
export function pairCost({ a, b }: Sequences, words: Words, i: number, j: number): number {
  if (a.full[i] === b.full[j]) return costs.equal;
  if (a.call[i] === b.call[j]) return costs.otherOutput;
  const sameOutput = a.output[i] === b.output[j];
  if (a.kind[i] !== b.kind[j])
    return sameOutput || a.parameters[i] === b.parameters[j] ? costs.closeTool : costs.otherTool;
  return sameOutput || words.level(a.call[i] as number, b.call[j] as number) >= closeLevel
    ? costs.closeParameters
    : costs.otherParameters;
}

/** Returns the cost of the whole explanation. */
export function totalCost(sequences: Sequences, words: Words, alignment: Alignment): number {
  const { a, b } = sequences;
  let total = stretchesCost(alignment.toB) + stretchesCost(alignment.toA);
  for (let i = 0; i < a.length; i++) {
    const j = alignment.toB[i] as number;
    if (j >= 0 && a.full[i] !== b.full[j]) total += pairCost(sequences, words, i, j);
  }
  for (const move of alignment.moves)
    total +=
      costs.move +
      costs.moveStep * move.count +
      (a.full[move.a] === b.full[move.b] ? 0 : costs.moveOtherOutput);
  for (const { extraA, extraB } of alignment.retries)
    total += costs.retry + costs.retryStep * (extraA.length + extraB.length);
  return total;
}

function stretchesCost(partner: Int32Array): number {
  let total = 0;
  for (let i = 0; i < partner.length; i++)
    if (partner[i] === unpaired)
      total += costs.stretchStep + (i > 0 && partner[i - 1] === unpaired ? 0 : costs.stretch);
  return total;
}

/** Maximum number of steps folded as earlier attempts. */
export const maxAttempts = 5;

/**
 * Returns, for each tool step, how many steps directly before it would be its retries; 0 where the rule does
 * not allow any. Does not skip prose between attempts.
 */
export function attemptsBefore(side: Sequence): Uint8Array {
  const attempts = new Uint8Array(side.length);
  for (let i = 1; i < side.length; i++) {
    if (side.isTool[i] === 0) continue;
    let first = i;
    while (
      first > 0 &&
      i - first <= maxAttempts &&
      side.call[first - 1] === side.call[i] &&
      side.full[first - 1] !== side.full[i]
    )
      first--;
    const count = i - first;
    const before = first === 0 ? -1 : (side.toolBefore[first] as number);
    if (count >= 1 && count <= maxAttempts && (before < 0 || side.call[before] !== side.call[i]))
      attempts[i] = count;
  }
  return attempts;
}
