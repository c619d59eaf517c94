// Lists of any length. A call such as `list.push(...items)` puts every item on the stack, and throws a RangeError
// from about 125,000 items on; lint forbids it in src (scripts/lint/no-spread-call.mjs).

/** Appends every item to the list. */
export function appendAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** Returns the largest number that `measure` returns for an item, or 0 where no number is above it. */
export function maxOf<T>(items: Iterable<T>, measure: (item: T) => number): number {
  let largest = 0;
  for (const item of items) largest = Math.max(largest, measure(item));
  return largest;
}
