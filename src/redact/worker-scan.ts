// A second thread that scans the contents of a large log from its end, while they are packed from its
// beginning. It only reports which of them are clean, and their hashes: the rest, and everything that depends
// on their order, is left to the main thread.
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { startThreads } from "../base/threads.js";
import { type WorkerScanTask, hashSize, type ScannerSettings, states } from "./worker-scan-loop.js";

/** Below this size a worker does not pay off. */
export const minWorkerBytes = 8 << 20;

export class WorkerScan {
  readonly #settings: ScannerSettings;
  readonly #worker: Worker | undefined;
  #task: WorkerScanTask | undefined;
  #ranges = new Uint32Array(new SharedArrayBuffer(0));
  #states = new Uint8Array(new SharedArrayBuffer(0));
  #hashes = Buffer.from(new SharedArrayBuffer(0));
  #front = new Int32Array(new SharedArrayBuffer(4));
  #at = 0;

  constructor(settings: ScannerSettings) {
    this.#settings = settings;
    const threads = Math.min(availableParallelism(), 2) - 1;
    [this.#worker] = startThreads({ beside: import.meta.url, name: "worker-scan-thread" }, threads);
  }

  /** Starts scanning the contents of a log, in the order in which they will be requested. */
  begin(log: Buffer, contents: Iterable<{ from: number; length: number }>): void {
    const bytes = log.buffer;
    if (this.#worker === undefined || !(bytes instanceof SharedArrayBuffer)) return;
    const ranges: number[] = [];
    for (const { from, length } of contents) ranges.push(log.byteOffset + from, length);
    const count = ranges.length / 2;
    const task: WorkerScanTask = {
      settings: this.#settings,
      bytes,
      ranges: new SharedArrayBuffer(count * 8),
      states: new SharedArrayBuffer(count),
      hashes: new SharedArrayBuffer(count * hashSize),
      front: new SharedArrayBuffer(4),
    };
    this.#ranges = new Uint32Array(task.ranges);
    this.#ranges.set(ranges);
    this.#states = new Uint8Array(task.states);
    this.#hashes = Buffer.from(task.hashes);
    this.#front = new Int32Array(task.front);
    this.#task = task;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
    this.#worker.postMessage(task);
  }

  /** Returns the SHA-256 of a content if no rule finds anything in it. */
  cleanHash({ buffer, byteOffset, length }: Buffer): string | undefined {
    if (this.#task === undefined || buffer !== this.#task.bytes) return undefined;
    // Contents are requested in order; those that are never requested are skipped.
    while (this.#at < this.#states.length && this.#ranges[this.#at * 2] !== byteOffset) this.#at++;
    if (this.#ranges[this.#at * 2 + 1] !== length) return undefined;
    Atomics.store(this.#front, 0, this.#at);
    if (Atomics.load(this.#states, this.#at) !== states.clean) return undefined;
    return this.#hashes.toString("hex", this.#at * hashSize, (this.#at + 1) * hashSize);
  }

  close(): void {
    if (this.#task !== undefined) Atomics.store(this.#front, 0, this.#states.length);
    void this.#worker?.terminate();
  }
}
