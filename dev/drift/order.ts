// The contract's order of the entries, for planted entries and for the judge.
import { type Entry, isStepEntry, type Pair } from "./explanation.js";

type Key = [rank: number, position: number, change: number, indexA: number | null, indexB: number | null];

/** The contract leaves open where a retry is: at its pair, or at the first of its extra steps. */
export type RetryPlace = "pair" | "extra";

const changes = { removed: 0, added: 1, changed: 2, replaced: 2, moved: 3 } as const;

/**
 * What an entry is sorted by. Pairs of parallel steps count, in whatever order they came back: what follows a
 * group stands after it.
 */
function keyOf(entry: Entry, before: { a: number[]; b: number[] }, retryPlace: RetryPlace): Key {
  const { index_a, index_b, change } = entry;
  if (!isStepEntry(entry)) {
    const ranks = { prompt_drift: 0, param_drift: 2, output_drift: 4, tool_drift: 3, reasoning_drift: 3 };
    const position = entry.prompt_index === undefined ? -1 : entry.prompt_index;
    return [ranks[entry.type], position, 0, null, null];
  }
  let at = { a: index_a, b: index_b };
  if (change === "retried" && retryPlace === "extra")
    at = { a: entry.extra_a[0] ?? null, b: entry.extra_b[0] ?? null };
  const positions = [];
  if (at.a !== null) positions.push(before.a[at.a] ?? 0);
  if (at.b !== null) positions.push(before.b[at.b] ?? 0);
  const side = entry.extra_a.length > 0 ? "removed" : "added";
  return [3, Math.min(...positions), changes[change === "retried" ? side : change], index_a, index_b];
}

function compare(one: Key, other: Key): number {
  for (const [position, mine] of one.entries()) {
    const theirs = other[position] as number | null;
    // Added steps have no index in a, a retry beside them has one: the contract leaves open which comes
    // first.
    if (mine === null || theirs === null) {
      if (mine === theirs) continue;
      return 0;
    }
    if (mine !== theirs) return mine - theirs;
  }
  return 0;
}

/** Returns how many pairs are before each position of either run, its end included. */
function pairsBefore(pairs: readonly Pair[], length: number, side: 0 | 1): number[] {
  const counts: number[] = [];
  let passed = 0;
  const sorted = pairs.map((pair) => pair[side]).sort((one, other) => one - other);
  for (let position = 0; position <= length; position++) {
    while (passed < sorted.length && (sorted[passed] as number) < position) passed++;
    counts.push(passed);
  }
  return counts;
}

export interface Placed {
  entries: Entry[];
  /** All pairs. */
  pairs: readonly Pair[];
  lengths: [number, number];
}

function keysOf({ entries, pairs, lengths }: Placed, retryPlace: RetryPlace): Key[] {
  const before = { a: pairsBefore(pairs, lengths[0], 0), b: pairsBefore(pairs, lengths[1], 1) };
  return entries.map((entry) => keyOf(entry, before, retryPlace));
}

export function sortEntries(placed: Placed): Entry[] {
  const keys = new Map(
    keysOf(placed, "pair").map((key, position) => [placed.entries[position] as Entry, key]),
  );
  return [...placed.entries].sort((one, other) => compare(keys.get(one) as Key, keys.get(other) as Key));
}

/**
 * Returns the first position at which entries are out of order by every reading; -1 when they are in order.
 */
export function outOfOrder(placed: Placed): number {
  let wrong = -1;
  for (const retryPlace of ["pair", "extra"] as const) {
    const keys = keysOf(placed, retryPlace);
    wrong = keys.findIndex((key, position) => position > 0 && compare(keys[position - 1] as Key, key) > 0);
    if (wrong === -1) return -1;
  }
  return wrong;
}
