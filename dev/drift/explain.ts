// From an alignment to the entries that explain it, as the contract lists them: for planted changes, and for
// the poor aligners.
import type { Manifest } from "../../src/model/manifest.js";
import { type Entry, entryOf, type Explanation, type Pair, priceOf, retryProblem } from "./explanation.js";
import { sortEntries } from "./order.js";
import { fieldsOf, isTool, type Keyed, keyed } from "./steps.js";

export interface Retry {
  pair: Pair;
  side: "a" | "b";
  extras: number[];
}

export interface Alignment {
  /** Steps that kept their position, or that changed it within a parallel group. */
  pairs: Pair[];
  /** Each stretch that was moved, as its pairs. */
  moves: Pair[][];
  retries: Retry[];
}

/** The longest chain of pairs that rises on both sides. */
export function rising(pairs: readonly Pair[]): Set<Pair> {
  const sorted = [...pairs].sort(([one], [other]) => one - other);
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [position, [, j]] of sorted.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[tails[middle] as number] as Pair)[1] < j) low = middle + 1;
      else high = middle;
    }
    previous.push(tails[low - 1] ?? -1);
    tails[low] = position;
  }
  const chain = new Set<Pair>();
  for (let position = tails.at(-1) ?? -1; position >= 0; position = previous[position] as number)
    chain.add(sorted[position] as Pair);
  return chain;
}

/** Moved entries: equal steps in a row are one; a tool step with another output is one of its own. */
function movedEntries(a: Keyed, b: Keyed, move: readonly Pair[]): Entry[] {
  const entries: Entry[] = [];
  let open: Entry | undefined;
  const follows = (before: number | null, index: number): boolean => before === index - (open?.count ?? 0);
  for (const [i, j] of [...move].sort(([one], [other]) => one - other)) {
    const equal = a.keys[i] === b.keys[j];
    if (equal && open !== undefined && follows(open.index_a, i) && follows(open.index_b, j)) open.count++;
    else if (equal) entries.push((open = entryOf("tool_drift", "moved", i, j)));
    else {
      open = undefined;
      if (isTool(a.steps[i]) && a.calls[i] === b.calls[j])
        entries.push(entryOf("tool_drift", "moved", i, j, { fields: ["output"] }));
    }
  }
  return entries;
}

function pairEntry(a: Keyed, b: Keyed, [i, j]: Pair): Entry | undefined {
  if (a.keys[i] === b.keys[j]) return undefined;
  const fields = fieldsOf(a.steps[i]!, b.steps[j]!);
  if (fields[0] === "type" || fields[0] === "tool")
    return entryOf("tool_drift", "replaced", i, j, { fields });
  return entryOf(fields[0] === "parameters" ? "param_drift" : "reasoning_drift", "changed", i, j, { fields });
}

/** Returns one entry for each stretch of steps that nothing else used. */
function stretches(used: boolean[], change: "added" | "removed"): Entry[] {
  const entries: Entry[] = [];
  for (let index = 0; index < used.length; index++) {
    if (used[index]) continue;
    const first = index;
    while (index < used.length && !used[index]) index++;
    const [i, j] = change === "removed" ? [first, null] : [null, first];
    entries.push(entryOf("tool_drift", change, i, j, { count: index - first }));
  }
  return entries;
}

export function explain(a: Manifest, b: Manifest, alignment: Alignment): Explanation {
  const [one, other] = [keyed(a.steps), keyed(b.steps)];
  const used = { a: a.steps.map(() => false), b: b.steps.map(() => false) };
  const entries: Entry[] = [];
  for (const [i, j] of alignment.pairs) used.a[i] = used.b[j] = true;
  for (const { pair, side, extras } of alignment.retries) {
    const [extraA, extraB] = side === "a" ? [extras, []] : [[], extras];
    if (retryProblem(one, other, pair, extraA, extraB) !== undefined) continue;
    for (const extra of extras) used[side][extra] = true;
    entries.push(entryOf("tool_drift", "retried", ...pair, { extra_a: extraA, extra_b: extraB }));
  }
  for (const move of alignment.moves)
    for (const entry of movedEntries(one, other, move)) {
      entries.push(entry);
      for (let step = 0; step < entry.count; step++)
        used.a[entry.index_a! + step] = used.b[entry.index_b! + step] = true;
    }
  entries.push(...stretches(used.a, "removed"), ...stretches(used.b, "added"));
  for (const pair of alignment.pairs) {
    const entry = pairEntry(one, other, pair);
    if (entry !== undefined) entries.push(entry);
  }
  const chain = rising(alignment.pairs);
  const reordered = alignment.pairs
    .filter((pair) => !chain.has(pair))
    .sort(([i], [k]) => i - k)
    .map(([index_a, index_b]) => ({ index_a, index_b }));
  markEnds(entries, used);
  const lengths: [number, number] = [a.steps.length, b.steps.length];
  return {
    entries: sortEntries({
      entries,
      pairs: [...chain, ...reordered.map(({ index_a, index_b }): Pair => [index_a, index_b])],
      lengths,
    }),
    reordered,
  };
}

/** A stretch that reaches the end of its run, where the other run ends with a step that was used. */
function markEnds(entries: Entry[], used: { a: boolean[]; b: boolean[] }): void {
  for (const entry of entries) {
    if (
      entry.change === "removed" &&
      entry.index_a! + entry.count === used.a.length &&
      used.b.at(-1) !== false
    )
      entry.at_end = true;
    if (entry.change === "added" && entry.index_b! + entry.count === used.b.length && used.a.at(-1) !== false)
      entry.at_end = true;
  }
}

/** The same, where a move that costs more than removing and adding its steps is listed as these. */
export function explainCheaply(a: Manifest, b: Manifest, alignment: Alignment): Explanation {
  let best = explain(a, b, alignment);
  let kept = alignment.moves;
  for (const move of alignment.moves) {
    const moves = kept.filter((other) => other !== move);
    const without = explain(a, b, { ...alignment, moves });
    if (priceOf(a, b, without) >= priceOf(a, b, best)) continue;
    best = without;
    kept = moves;
  }
  return best;
}
