// Lists of any length. Lint forbids in src the calls that only work for short ones
// (scripts/lint/any-number.mjs): a call such as `list.push(...items)` puts every item on the stack, and
// throws a RangeError from about 125,000 items on.

/** Appends every item to the list. */
export function appendAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** Appends the item to the list that the map has for the key, and makes that list if there is none. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** First in, first out. `Array.shift` moves all other items: 200,000 of them take half a minute. */
export class Queue<T> {
  readonly #items: T[] = [];
  #first = 0;

  add(item: T): void {
    this.#items.push(item);
  }

  /** Removes and returns the oldest item. */
  take(): T | undefined {
    const item = this.#items[this.#first];
    if (this.#first < this.#items.length) this.#first++;
    return item;
  }

  /** Returns the items that are still in the queue. */
  left(): T[] {
    return this.#items.slice(this.#first);
  }
}

/**
 * A set in the order of insertion that finds its first and last item at once. A `Set` finds its first item by
 * walking over all items that were deleted before it.
 */
export class OrderedSet<T> {
  readonly #positions = new Map<T, number>();
  readonly #items: (T | undefined)[] = [];
  #first = 0;

  add(item: T): void {
    if (this.#positions.has(item)) return;
    this.#positions.set(item, this.#items.length);
    this.#items.push(item);
  }

  delete(item: T): void {
    const position = this.#positions.get(item);
    if (position === undefined) return;
    this.#positions.delete(item);
    this.#items[position] = undefined;
  }

  first(): T | undefined {
    while (this.#first < this.#items.length && this.#items[this.#first] === undefined) this.#first++;
    return this.#items[this.#first];
  }

  /** Returns the first item that fits, of the first `most` items. */
  find(fits: (item: T) => boolean, most: number): T | undefined {
    this.first();
    let left = most;
    for (let at = this.#first; at < this.#items.length && left > 0; at++) {
      const item = this.#items[at];
      if (item === undefined) continue;
      if (fits(item)) return item;
      left--;
    }
    return undefined;
  }

  last(): T | undefined {
    while (this.#items.length > this.#first && this.#items.at(-1) === undefined) this.#items.pop();
    return this.#items.length > this.#first ? this.#items.at(-1) : undefined;
  }
}

/** Returns the largest number that `measure` returns for an item, or 0 if none is greater. */
export function maxOf<T>(items: Iterable<T>, measure: (item: T) => number): number {
  let largest = 0;
  for (const item of items) largest = Math.max(largest, measure(item));
  return largest;
}

/** Formats names as `a, b, c`; of more than `most` the first, and how many more there are. */
export function someOf(names: readonly string[], limit = 20): string {
  const shown = names.slice(0, limit).join(", ");
  const more = names.length - limit;
  return more > 0 ? `${shown} and ${more.toLocaleString("en-US")} more` : shown;
}

/** Returns the words of texts in which one space separates two words. */
export function words(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(" ")));
}
