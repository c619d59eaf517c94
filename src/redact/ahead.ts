// A second thread that looks for secrets in the contents of a large log, from its end, while they are packed from its beginning. It only
// says which of them have none: the rest, and all that depends on their order, is left to the one who packs.
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { startThreads } from "../base/threads.js";
import { type AheadTask, type SearchSettings, states } from "./ahead-loop.js";

/** In less than this a thread finds nothing before the other is through. */
export const worthAThread = 8 << 20;

export class Ahead {
  readonly #settings: SearchSettings;
  readonly #worker: Worker | undefined;
  #task: AheadTask | undefined;
  #places = new Uint32Array(new SharedArrayBuffer(0));
  #states = new Uint8Array(new SharedArrayBuffer(0));
  #front = new Int32Array(new SharedArrayBuffer(4));
  #at = 0;

  constructor(settings: SearchSettings) {
    this.#settings = settings;
    const threads = Math.min(availableParallelism(), 2) - 1;
    [this.#worker] = startThreads({ beside: import.meta.url, name: "ahead-worker" }, threads);
  }

  /** Lets the thread begin with these contents of a log, in the order in which they will be asked for. */
  begin(log: Buffer, contents: Iterable<{ from: number; length: number }>): void {
    const bytes = log.buffer;
    if (this.#worker === undefined || !(bytes instanceof SharedArrayBuffer)) return;
    const places: number[] = [];
    for (const { from, length } of contents) places.push(log.byteOffset + from, length);
    const count = places.length / 2;
    const task: AheadTask = {
      settings: this.#settings,
      bytes,
      places: new SharedArrayBuffer(count * 8),
      states: new SharedArrayBuffer(count),
      front: new SharedArrayBuffer(4),
    };
    this.#places = new Uint32Array(task.places);
    this.#places.set(places);
    this.#states = new Uint8Array(task.states);
    this.#front = new Int32Array(task.front);
    this.#task = task;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
    this.#worker.postMessage(task);
  }

  /** Whether nothing is to be masked in this content by what it holds. */
  isClean({ buffer, byteOffset, length }: Buffer): boolean {
    if (this.#task === undefined || buffer !== this.#task.bytes) return false;
    // They come in order; what was left out is stepped over.
    while (this.#at < this.#states.length && this.#places[this.#at * 2] !== byteOffset) this.#at++;
    if (this.#places[this.#at * 2 + 1] !== length) return false;
    Atomics.store(this.#front, 0, this.#at);
    return Atomics.load(this.#states, this.#at) === states.clean;
  }

  /** Ends the thread. */
  close(): void {
    if (this.#task !== undefined) Atomics.store(this.#front, 0, this.#states.length);
    void this.#worker?.terminate();
  }
}
