// Reads what a store knows of many packs, on as many cores as there are: what a first look at a large store waits for.
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import type * as Threads from "node:worker_threads";
import { startThreads } from "../base/threads.js";
import { type EntriesTask, type Handful, takeEntries } from "./entries-loop.js";
import { type HistoryEntry, readEntry } from "./history.js";
import type { Listed } from "./packs.js";

/** Fewer than this are read sooner than a thread starts. */
const fewest = 1000;
const mostThreads = 8;
/** How long a thread may work on its last handful before its packs are read by somebody else. */
const patience = 60_000;

/** What is known of each of these packs; those that are not there any more are left out. */
export function readEntries(root: string, packs: readonly Listed[]): HistoryEntry[] {
  if (packs.length < fewest) return packs.flatMap(({ hex, isPlain }) => readEntry(root, hex, isPlain) ?? []);
  const threads = Math.min(availableParallelism(), mostThreads) - 1;
  const workers = startThreads({ beside: import.meta.url, name: "entries-worker" }, threads);
  const task: EntriesTask = {
    root,
    names: packs.map(({ hex }) => hex).join(""),
    arePlain: Uint8Array.from(packs, ({ isPlain }) => (isPlain ? 1 : 0)),
    control: new SharedArrayBuffer(8),
  };
  const { MessageChannel, receiveMessageOnPort } = createRequire(import.meta.url)(
    "node:worker_threads",
  ) as typeof Threads;
  const ports = workers.map((worker) => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ ...task, port: port2 }, [port2]);
    return port1;
  });
  const found: Handful["entries"] = Array.from({ length: packs.length });
  const isDone = new Uint8Array(packs.length);
  let own = 0;
  const place = ({ from, entries }: Handful): void => {
    for (const [index, entry] of entries.entries()) found[from + index] = entry;
    isDone.fill(1, from, from + entries.length);
  };
  for (const handful of takeEntries(task)) {
    place(handful);
    own += handful.entries.length;
  }
  waitFor(new Int32Array(task.control), packs.length - own);
  for (const port of ports) {
    for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port))
      place(got.message as Handful);
    port.close();
  }
  for (const worker of workers) void worker.terminate();
  // What a thread took and did not hand over.
  return packs.flatMap(
    ({ hex, isPlain }, at) => (isDone[at] === 1 ? found[at] : readEntry(root, hex, isPlain)) ?? [],
  );
}

/** Waits until the other threads have handed over so many. */
function waitFor(counts: Int32Array<SharedArrayBuffer>, wanted: number): void {
  const deadline = Date.now() + patience;
  for (let have = 0; have < wanted && Date.now() < deadline; have = Atomics.load(counts, 1))
    Atomics.wait(counts, 1, have, 100);
}
