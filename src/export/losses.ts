// Counts what is lost when a pack becomes a log of another format.

export class Losses {
  readonly #counts = new Map<string, number>();

  /** Records something that the format cannot express. */
  add(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  list(): { what: string; count: number }[] {
    return [...this.#counts].map(([what, count]) => ({ what, count }));
  }
}
