// Repeatable chance: everything that is drawn follows from one number.

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the items in another order. */
export function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}

/** So many of the items, of as many kinds as can be. */
export function spread<T>(
  items: readonly T[],
  most: number,
  next: () => number,
  kind: (item: T) => string,
): T[] {
  const left = shuffled(items, next);
  const taken: T[] = [];
  while (taken.length < most && left.length > 0) {
    const seen = new Set<string>();
    // One of each kind, then a second one of each.
    for (let at = 0; at < left.length && taken.length < most; ) {
      const item = left[at] as T;
      if (seen.has(kind(item))) at++;
      else {
        seen.add(kind(item));
        taken.push(item);
        left.splice(at, 1);
      }
    }
  }
  return taken;
}
