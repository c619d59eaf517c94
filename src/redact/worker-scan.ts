// A second thread that looks for secrets in the contents of a large log, from its end, while they are packed from its beginning. It only
// says which of them have none, and what their hashes are: the rest, and all that depends on their order, is left to the one who packs.
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { startThreads } from "../base/threads.js";
import { type AheadTask, hashSize, type SearchSettings, states } from "./worker-scan-loop.js";

/** In less than this a thread finds nothing before the other is through. */
export const worthAThread = 8 << 20;

export class Ahead {
  readonly #settings: SearchSettings;
  readonly #worker: Worker | undefined;
  #task: AheadTask | undefined;
  #places = new Uint32Array(new SharedArrayBuffer(0));
  #states = new Uint8Array(new SharedArrayBuffer(0));
  #hashes = Buffer.from(new SharedArrayBuffer(0));
  #front = new Int32Array(new SharedArrayBuffer(4));
  #at = 0;

  constructor(settings: SearchSettings) {
    this.#settings = settings;
    const threads = Math.min(availableParallelism(), 2) - 1;
    [this.#worker] = startThreads({ beside: import.meta.url, name: "worker-scan-thread" }, threads);
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
      hashes: new SharedArrayBuffer(count * hashSize),
      front: new SharedArrayBuffer(4),
    };
    this.#places = new Uint32Array(task.places);
    this.#places.set(places);
    this.#states = new Uint8Array(task.states);
    this.#hashes = Buffer.from(task.hashes);
    this.#front = new Int32Array(task.front);
    this.#task = task;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
    this.#worker.postMessage(task);
  }

  /** The SHA-256 of this content, if nothing is to be masked in it by what it holds. */
  cleanHash({ buffer, byteOffset, length }: Buffer): string | undefined {
    if (this.#task === undefined || buffer !== this.#task.bytes) return undefined;
    // They come in order; what was left out is stepped over.
    while (this.#at < this.#states.length && this.#places[this.#at * 2] !== byteOffset) this.#at++;
    if (this.#places[this.#at * 2 + 1] !== length) return undefined;
    Atomics.store(this.#front, 0, this.#at);
    if (Atomics.load(this.#states, this.#at) !== states.clean) return undefined;
    return this.#hashes.toString("hex", this.#at * hashSize, (this.#at + 1) * hashSize);
  }

  /** Ends the thread. */
  close(): void {
    if (this.#task !== undefined) Atomics.store(this.#front, 0, this.#states.length);
    void this.#worker?.terminate();
  }
}
