// Runs tasks of a search on all cores. Other threads begin a task at once; the caller joins in when it needs the result,
// and blocks: the library promises to be done when it returns.
import { availableParallelism } from "node:os";
import type { MessagePort, Worker } from "node:worker_threads";
import { lazy } from "../base/lazy.js";
import { addTo, appendAll } from "../base/lists.js";
import { startThreads } from "../base/threads.js";
import {
  activeAt,
  type IndexedGroup,
  type SearchTask,
  type SearchWork,
  sentAt,
  TaskRunner,
  type TaskResult,
} from "./search-task.js";

/** Less work than this is done before a thread has started. */
const minContents = 200;
const minGroups = 4;
const maxThreads = 16;
/** How long to wait for other threads, in milliseconds, before their items are done again here. */
const patience = 600_000;

export class SearchThreads {
  readonly #root: string;
  readonly #runner = new TaskRunner();
  #workers: Worker[] | undefined;
  #ports: MessagePort[] = [];
  #tasks = 0;
  #hasFailed = false;
  /** What other threads found, by the number of the task. */
  readonly #received = new Map<number, TaskResult[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the n-grams of groups, in their order. */
  groupsOf({ items }: TaskResult): IndexedGroup[] {
    return items.sort(([a], [b]) => a - b).map(([, group]) => group as IndexedGroup);
  }

  /** Returns whether other threads take part in so much work. */
  isShared(work: SearchWork): boolean {
    return work.kind === "scan" ? work.contents.length >= minContents : work.groups.length >= minGroups;
  }

  /** Begins some work on other threads, and returns a function that finishes it on this one, too. */
  begin(work: SearchWork): () => TaskResult {
    const task: SearchTask = {
      ...work,
      number: ++this.#tasks,
      root: this.#root,
      control: new SharedArrayBuffer(12),
    };
    const workers = this.isShared(work) ? this.#threads() : [];
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
    for (const worker of workers) worker.postMessage(task);
    return () => this.#finish(task);
  }

  close(): void {
    for (const port of this.#ports) port.close();
    for (const worker of this.#workers ?? []) void worker.terminate();
    this.#workers = undefined;
    this.#ports = [];
  }

  #finish(task: SearchTask): TaskResult {
    if (!this.#hasFailed) {
      const result = this.#runner.run(task);
      if (this.#collect(task, result)) return result;
      this.#hasFailed = true;
      this.close();
      this.#workers = [];
    }
    // A thread failed: everything is done again, here.
    return this.#runner.run({ ...task, control: new SharedArrayBuffer(12) });
  }

  /** Adds what the other threads found. Returns false if one of them does not finish. */
  #collect({ number, control: shared }: SearchTask, result: TaskResult): boolean {
    const control = new Int32Array(shared);
    const deadline = Date.now() + patience;
    // A thread that begins only now finds nothing to do.
    for (let active = Atomics.load(control, activeAt); active > 0; active = Atomics.load(control, activeAt)) {
      if (Date.now() > deadline) return false;
      Atomics.wait(control, activeAt, active, 1000);
    }
    this.#receive();
    const received = this.#received.get(number) ?? [];
    this.#received.delete(number);
    for (const { items, bytes } of received) {
      appendAll(result.items, items);
      result.bytes += bytes;
    }
    return received.length === Atomics.load(control, sentAt);
  }

  #receive(): void {
    if (this.#ports.length === 0) return;
    const { receiveMessageOnPort } = lazy("worker_threads");
    for (const port of this.#ports)
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        const { number, result } = next.message as { number: number; result: TaskResult };
        addTo(this.#received, number, result);
      }
  }

  #threads(): Worker[] {
    if (this.#workers !== undefined) return this.#workers;
    const others = Math.min(availableParallelism(), maxThreads) - 1;
    this.#workers = startThreads({ beside: import.meta.url, name: "search-worker" }, others);
    for (const worker of this.#workers) {
      const { port1, port2 } = new (lazy("worker_threads").MessageChannel)();
      port1.unref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
      worker.postMessage({ port: port2 }, [port2]);
      this.#ports.push(port1);
    }
    return this.#workers;
  }
}
