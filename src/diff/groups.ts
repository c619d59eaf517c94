// Steps that were issued together. Their order among themselves is not drift, so their members are paired in
// any order.
import { costs } from "./costs.js";
import { type Alignment, pairCost, unpaired } from "./alignment.js";
import type { Sequence, Sequences } from "./sequence.js";
import type { Words } from "./parameter-similarity.js";

/** Groups whose members lie further apart than this keep their order. */
const widest = 1024;

/** The parallel groups of two runs, found once. */
export class Groups {
  readonly #sequences: Sequences;
  readonly #words: Words;
  readonly #membersA: Map<number, number[]>;
  readonly #membersB: Map<number, number[]>;
  /** Groups of b in which a call occurs. */
  readonly #byCall = new Map<number, Set<number>>();

  constructor(sequences: Sequences, words: Words) {
    const { a, b } = sequences;
    this.#sequences = sequences;
    this.#words = words;
    this.#membersA = membersOf(a);
    this.#membersB = membersOf(b);
    b.group.forEach((group, j) => {
      if (group < 0) return;
      const set = this.#byCall.get(b.call[j] as number);
      if (set === undefined) this.#byCall.set(b.call[j] as number, new Set([group]));
      else if (set.size < 8) set.add(group);
    });
  }

  /** Pairs the members of matching groups again, where that is cheaper. */
  pairAnew(alignment: Alignment): void {
    if (this.#membersA.size === 0 || this.#membersB.size === 0) return;
    for (const [groupA, groupB] of linked(this.#sequences, alignment, this.#membersA, this.#byCall)) {
      const membersA = this.#membersA.get(groupA) as number[];
      const membersB = this.#membersB.get(groupB) as number[];
      if (!isSettled(this.#sequences, alignment, membersA, membersB, groupB))
        pairAnew(this.#sequences, this.#words, alignment, membersA, membersB, [groupA, groupB]);
    }
  }
}

/** Returns whether every member is paired with an equal member of the other group. */
function isSettled(
  { a, b }: Sequences,
  { toB }: Alignment,
  membersA: readonly number[],
  membersB: readonly number[],
  groupB: number,
): boolean {
  return (
    membersA.length === membersB.length &&
    membersA.every((i) => {
      const j = toB[i] as number;
      return j >= 0 && b.group[j] === groupB && a.full[i] === b.full[j];
    })
  );
}

function membersOf(side: Sequence): Map<number, number[]> {
  const members = new Map<number, number[]>();
  side.group.forEach((group, i) => {
    if (group < 0) return;
    const list = members.get(group);
    if (list === undefined) members.set(group, [i]);
    else list.push(i);
  });
  return members;
}

/** Matches groups of a with groups of b: by pairs and shared calls, most first, each group once. */
function linked(
  { a, b }: Sequences,
  { toB }: Alignment,
  membersA: ReadonlyMap<number, number[]>,
  byCall: ReadonlyMap<number, Set<number>>,
): [number, number][] {
  const links: { groupA: number; groupB: number; votes: number }[] = [];
  for (const [groupA, members] of membersA) {
    const votes = new Map<number, number>();
    const vote = (group: number, weight: number): unknown =>
      votes.set(group, (votes.get(group) ?? 0) + weight);
    for (const i of members) {
      const j = toB[i] as number;
      if (j >= 0 && (b.group[j] as number) >= 0) vote(b.group[j] as number, 2);
      else if (j < 0) for (const group of byCall.get(a.call[i] as number) ?? []) vote(group, 1);
    }
    for (const [groupB, count] of votes) if (count >= 2) links.push({ groupA, groupB, votes: count });
  }
  links.sort((x, y) => y.votes - x.votes || x.groupA - y.groupA || x.groupB - y.groupB);
  const usedA = new Set<number>();
  const usedB = new Set<number>();
  const chosen: [number, number][] = [];
  for (const { groupA, groupB } of links) {
    if (usedA.has(groupA) || usedB.has(groupB)) continue;
    usedA.add(groupA);
    usedB.add(groupB);
    chosen.push([groupA, groupB]);
  }
  return chosen.sort((x, y) => x[0] - y[0]);
}

function pairAnew(
  sequences: Sequences,
  words: Words,
  alignment: Alignment,
  membersA: number[],
  membersB: number[],
  [groupA, groupB]: [number, number],
): void {
  const { a, b } = sequences;
  const { toB, toA } = alignment;
  if (span(membersA) > widest || span(membersB) > widest) return;
  const freeA = membersA.filter((i) => toB[i] === unpaired || b.group[toB[i] as number] === groupB);
  const freeB = membersB.filter((j) => toA[j] === unpaired || a.group[toA[j] as number] === groupA);
  if (freeA.length === 0 || freeB.length === 0) return;
  const old = freeA.map((i) => toB[i] as number);
  const before = localCost(sequences, words, alignment, membersA, membersB);
  const set = (i: number, j: number): void => {
    if (j >= 0) toA[j] = i;
    toB[i] = j;
  };
  for (const i of freeA) toB[i] = unpaired;
  for (const j of freeB) toA[j] = unpaired;

  const outside = crossings(alignment, membersA, membersB);
  const choices: { i: number; j: number; cost: number; apart: number }[] = [];
  freeA.forEach((i, rankA) => {
    freeB.forEach((j, rankB) => {
      const cost = pairCost(sequences, words, i, j);
      if (outside.every(([p, q]) => p < i === q < j))
        choices.push({ i, j, cost, apart: Math.abs(rankA - rankB) });
    });
  });
  choices.sort((x, y) => x.cost - y.cost || x.apart - y.apart || x.i - y.i || x.j - y.j);
  for (const { i, j } of choices) if (toB[i] === unpaired && toA[j] === unpaired) set(i, j);
  if (localCost(sequences, words, alignment, membersA, membersB) < before) return;
  for (const i of freeA) toB[i] = unpaired;
  for (const j of freeB) toA[j] = unpaired;
  freeA.forEach((i, at) => set(i, old[at] as number));
}

function span(members: number[]): number {
  return (members.at(-1) as number) - (members[0] as number);
}

/** Returns the pairs that members could cross: those between them, and the next one on either side. */
function crossings({ toB, toA }: Alignment, membersA: number[], membersB: number[]): [number, number][] {
  const found: [number, number][] = [];
  around(toB, membersA, (i, j) => found.push([i, j]));
  around(toA, membersB, (j, i) => found.push([i, j]));
  return found;
}

function around(partner: Int32Array, members: number[], visit: (at: number, other: number) => void): void {
  let first = (members[0] as number) - 1;
  while (first >= 0 && (partner[first] as number) < 0) first--;
  let last = (members.at(-1) as number) + 1;
  while (last < partner.length && (partner[last] as number) < 0) last++;
  for (let at = Math.max(first, 0); at <= Math.min(last, partner.length - 1); at++)
    if ((partner[at] as number) >= 0) visit(at, partner[at] as number);
}

/** Returns the cost of everything between the first and the last members. */
function localCost(
  sequences: Sequences,
  words: Words,
  { toB, toA }: Alignment,
  membersA: number[],
  membersB: number[],
): number {
  let total = 0;
  for (let i = membersA[0] as number; i <= (membersA.at(-1) as number); i++) {
    const j = toB[i] as number;
    if (j >= 0) total += pairCost(sequences, words, i, j);
  }
  return total + gapsNear(toB, membersA) + gapsNear(toA, membersB);
}

function gapsNear(partner: Int32Array, members: number[]): number {
  let total = 0;
  const end = Math.min((members.at(-1) as number) + 1, partner.length - 1);
  for (let i = members[0] as number; i <= end; i++)
    if (partner[i] === unpaired)
      total += costs.stretchStep + (i > 0 && partner[i - 1] === unpaired ? 0 : costs.stretch);
  return total;
}

/**
 * Returns the pairs that cross another one, in order; undefined if two cross that were not issued together.
 */
export function crossingPairs({ a, b }: Sequences, { toB }: Alignment): [number, number][] | undefined {
  const crossing = new Set<number>();
  // The furthest partner among all steps before each step.
  const furthest = new Int32Array(toB.length + 1).fill(-1);
  for (let i = 0; i < toB.length; i++) {
    const j = toB[i] as number;
    furthest[i + 1] = Math.max(furthest[i] as number, j);
    if (j < 0 || j > (furthest[i] as number)) continue;
    if ((a.group[i] as number) < 0) return undefined;
    for (let p = i - 1; p >= 0 && (furthest[p + 1] as number) > j; p--) {
      const q = toB[p] as number;
      if (q < j) continue;
      if (a.group[p] !== a.group[i] || (b.group[j] as number) < 0 || b.group[q] !== b.group[j])
        return undefined;
      crossing.add(i).add(p);
    }
  }
  return [...crossing].sort((x, y) => x - y).map((i) => [i, toB[i] as number]);
}
