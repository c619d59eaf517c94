// Calls that wait for their results, in order. Finding the next ones takes constant time, whichever are
// answered and however many wait.

export interface Waiting {
  name: string;
  tool: string;
}

export class CallQueue {
  #calls: (Waiting | undefined)[] = [];
  #first = 0;
  readonly #positions = new Map<string, number>();

  add(call: Waiting): void {
    this.#positions.set(call.name, this.#calls.length);
    this.#calls.push(call);
  }

  delete(name: string): void {
    const position = this.#positions.get(name);
    if (position === undefined) return;
    this.#positions.delete(name);
    this.#calls[position] = undefined;
    while (this.#first < this.#calls.length && this.#calls[this.#first] === undefined) this.#first++;
  }

  /** Returns the next waiting calls, at most `places` of them. */
  next(count: number): Waiting[] {
    return this.#calls.slice(this.#first, this.#first + count).filter((call) => call !== undefined);
  }

  clear(): void {
    this.#calls = [];
    this.#first = 0;
    this.#positions.clear();
  }
}
