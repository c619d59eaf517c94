// Reads what a store knows of its packs: the part that every thread runs. Threads share a counter, so that whoever is free takes the
// next few.
import type { MessagePort } from "node:worker_threads";
import { type HistoryEntry, readEntry } from "./history.js";

/** What threads share. */
export interface EntriesTask {
  root: string;
  /** The hashes, 64 digits each, one after the other. */
  names: string;
  /** For each, whether its entry is known to be a plain file. */
  arePlain: Uint8Array;
  /** How many were taken, and how many were handed over. */
  control: SharedArrayBuffer;
}

/** Some packs next to each other; those that are not in the store any more are undefined. */
export interface Handful {
  from: number;
  entries: (HistoryEntry | undefined)[];
}

const size = 64;

/** Takes packs until none is left. */
export function* takeEntries({ root, names, arePlain, control }: EntriesTask): Generator<Handful> {
  const counts = new Int32Array(control);
  for (;;) {
    const from = Atomics.add(counts, 0, size);
    if (from >= arePlain.length) return;
    const entries: Handful["entries"] = [];
    for (let at = from; at < Math.min(from + size, arePlain.length); at++)
      entries.push(readEntry(root, names.slice(at * 64, at * 64 + 64), arePlain[at] === 1));
    yield { from, entries };
  }
}

/** The same in a thread that hands over what it has read. */
export function handOver(task: EntriesTask & { port: MessagePort }): void {
  const counts = new Int32Array(task.control);
  for (const handful of takeEntries(task)) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
    task.port.postMessage(handful);
    Atomics.add(counts, 1, handful.entries.length);
    Atomics.notify(counts, 1);
  }
  task.port.close();
}
