// Cuts a comparison that is too large for the grid into smaller parts: along steps that occur equally often
// in both runs and follow each other in the same order. The regions between those anchors are small in most
// runs.
import { appendAll } from "../base/lists.js";
import { type Alignment, pair } from "./alignment.js";
import type { Region } from "./grid.js";
import type { Sequences } from "./sequence.js";

/** Equal steps in a row, the same distance apart in both runs. */
interface StepAnchor {
  a: number;
  b: number;
  count: number;
}

/** Maximum number of occurrences of a step that can still be an anchor. */
const maxOccurrences = 8;

/** An isolated anchor off the diagonal of its neighbours must be longer than this. */
const shortest = 4;

/** The maximum number of cells of a grid without a band. */
export interface CellLimit {
  cells: number;
}

/** Pairs the anchors in `out` and returns the regions between them, in order. */
export function split(sequences: Sequences, region: Region, limit: CellLimit, out: Alignment): Region[] {
  return splitBy(sequences, region, limit, out, "full");
}

function splitBy(
  sequences: Sequences,
  region: Region,
  limit: CellLimit,
  out: Alignment,
  key: "full" | "call",
): Region[] {
  const { a0, a1, b0, b1 } = region;
  if (a0 === a1 || b0 === b1) return [];
  if ((a1 - a0) * (b1 - b0) <= limit.cells) return [region];
  const anchors = chain(sequences, region, key);
  if (anchors.length === 0) return key === "full" ? splitBy(sequences, region, limit, out, "call") : [region];
  const regions: Region[] = [];
  let from = { a: a0, b: b0 };
  for (const anchor of [...anchors, { a: a1, b: b1, count: 0 }]) {
    const gap = { a0: from.a, a1: anchor.a, b0: from.b, b1: anchor.b };
    // Split again inside, where a step that is rare only there can be an anchor.
    appendAll(regions, splitBy(sequences, gap, limit, out, key));
    for (let k = 0; k < anchor.count; k++) pair(out, anchor.a + k, anchor.b + k);
    from = { a: anchor.a + anchor.count, b: anchor.b + anchor.count };
  }
  return regions;
}

function chain(sequences: Sequences, region: Region, key: "full" | "call"): StepAnchor[] {
  const keysA = sequences.a[key];
  const keysB = sequences.b[key];
  const anchors = heaviestChain(mergeAdjacent(candidates(keysA, keysB, region)));
  const grown = anchors.map((anchor) => ({ ...anchor }));
  grown.forEach((anchor, at) => grow(sequences, region, grown[at - 1], anchor, grown[at + 1]));
  return withoutStrays(grown.filter(({ count }) => count > 0));
}

/** Returns steps that occur equally often in both runs, paired by rank. */
function candidates(keysA: Int32Array, keysB: Int32Array, { a0, a1, b0, b1 }: Region): StepAnchor[] {
  const positionsA = positionsByKey(keysA, a0, a1);
  const positionsB = positionsByKey(keysB, b0, b1);
  const found: StepAnchor[] = [];
  for (const [key, listA] of positionsA) {
    const listB = positionsB.get(key);
    if (listB?.length !== listA.length || listA.length > maxOccurrences) continue;
    listA.forEach((a, rank) => found.push({ a, b: listB[rank] as number, count: 1 }));
  }
  return found.sort((x, y) => x.a - y.a);
}

function positionsByKey(keys: Int32Array, from: number, to: number): Map<number, number[]> {
  const positions = new Map<number, number[]>();
  for (let i = from; i < to; i++) {
    const list = positions.get(keys[i] as number);
    if (list === undefined) positions.set(keys[i] as number, [i]);
    else if (list.length <= maxOccurrences) list.push(i);
  }
  return positions;
}

function mergeAdjacent(anchors: StepAnchor[]): StepAnchor[] {
  const merged: StepAnchor[] = [];
  for (const anchor of anchors) {
    const last = merged.at(-1);
    if (last !== undefined && last.a + last.count === anchor.a && last.b + last.count === anchor.b)
      last.count++;
    else merged.push({ ...anchor });
  }
  return merged;
}

/** Returns the chain of anchors, in order in both runs, that holds most steps. */
function heaviestChain(anchors: StepAnchor[]): StepAnchor[] {
  // Ranks of the ends and beginnings of anchors in b, for a tree of the heaviest chain up to each.
  const positions = [...new Set(anchors.flatMap(({ b, count }) => [b, b + count]))].sort((x, y) => x - y);
  const rankOf = new Map(positions.map((position, rank) => [position, rank + 1]));
  const tree = new Int32Array(positions.length + 1).fill(-1);
  const weight = new Float64Array(anchors.length);
  const previous = new Int32Array(anchors.length);
  // An anchor counts for those that begin where it ends or later, in both runs.
  const pending = anchors.map((_, at) => at).sort((x, y) => endOf(anchors[x]) - endOf(anchors[y]) || x - y);
  let entered = 0;
  const better = (x: number, y: number): boolean => y < 0 || (weight[x] as number) > (weight[y] as number);
  anchors.forEach((anchor, at) => {
    while (entered < pending.length && endOf(anchors[pending[entered] as number]) <= anchor.a) {
      const ended = pending[entered++] as number;
      const end = anchors[ended] as StepAnchor;
      for (let k = rankOf.get(end.b + end.count) as number; k < tree.length; k += k & -k)
        if (better(ended, tree[k] as number)) tree[k] = ended;
    }
    let best = -1;
    for (let k = rankOf.get(anchor.b) as number; k > 0; k -= k & -k)
      if ((tree[k] as number) >= 0 && better(tree[k] as number, best)) best = tree[k] as number;
    previous[at] = best;
    weight[at] = anchor.count + (best < 0 ? 0 : (weight[best] as number));
  });
  let top = -1;
  anchors.forEach((_, at) => {
    if (better(at, top)) top = at;
  });
  const result: StepAnchor[] = [];
  for (let at = top; at >= 0; at = previous[at] as number) result.push(anchors[at] as StepAnchor);
  return result.reverse();
}

function endOf(anchor: StepAnchor | undefined): number {
  return anchor === undefined ? 0 : anchor.a + anchor.count;
}

/** Extends an anchor on both sides over equal steps, up to its neighbours. */
function grow(
  { a, b }: Sequences,
  { a0, a1, b0, b1 }: Region,
  before: StepAnchor | undefined,
  anchor: StepAnchor,
  after: StepAnchor | undefined,
): void {
  const startA = before === undefined ? a0 : before.a + before.count;
  const startB = before === undefined ? b0 : before.b + before.count;
  while (anchor.a > startA && anchor.b > startB && a.full[anchor.a - 1] === b.full[anchor.b - 1]) {
    anchor.a--;
    anchor.b--;
    anchor.count++;
  }
  const endA = after?.a ?? a1;
  const endB = after?.b ?? b1;
  while (
    anchor.a + anchor.count < endA &&
    anchor.b + anchor.count < endB &&
    a.full[anchor.a + anchor.count] === b.full[anchor.b + anchor.count]
  )
    anchor.count++;
}

/** Drops short anchors off the diagonal that both of their neighbours lie on: most are coincidences. */
function withoutStrays(anchors: StepAnchor[]): StepAnchor[] {
  const diagonal = (anchor: StepAnchor): number => anchor.a - anchor.b;
  return anchors.filter((anchor, at) => {
    const before = anchors[at - 1];
    const after = anchors[at + 1];
    if (before === undefined || after === undefined || anchor.count > shortest) return true;
    return diagonal(before) !== diagonal(after) || diagonal(anchor) === diagonal(before);
  });
}
