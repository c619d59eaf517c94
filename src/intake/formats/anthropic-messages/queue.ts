// Calls that wait for their results, in order. Finding the next ones takes constant time, whichever are
// answered and however many wait.

export interface Waiting {
  name: string;
  tool: string;
}

export class CallQueue {
  #calls: (Waiting | undefined)[] = [];
  #first = 0;
  readonly #places = new Map<string, number>();

  add(call: Waiting): void {
    this.#places.set(call.name, this.#calls.length);
    this.#calls.push(call);
  }

  delete(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    this.#places.delete(name);
    this.#calls[place] = undefined;
    while (this.#first < this.#calls.length && this.#calls[this.#first] === undefined) this.#first++;
  }

  /** Returns the next waiting calls, at most `places` of them. */
  next(places: number): Waiting[] {
    return this.#calls.slice(this.#first, this.#first + places).filter((call) => call !== undefined);
  }

  clear(): void {
    this.#calls = [];
    this.#first = 0;
    this.#places.clear();
  }
}
