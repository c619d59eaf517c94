// Runs tasks of a search on all cores. The caller blocks: it would do nothing else meanwhile, and the library promises
// to be done when it returns.
import { availableParallelism } from "node:os";
import type { MessagePort, Worker } from "node:worker_threads";
import { lazy } from "../base/lazy.js";
import { startThreads } from "../base/threads.js";
import { compileMatcher, type Matcher, type SearchPattern } from "./matcher.js";
import type { LineLimits, ScanOutcome } from "./scan-contents.js";
import {
  doneAt,
  type GroupText,
  type IndexedGroup,
  runTask,
  type SearchTask,
  type TaskResults,
} from "./search-task.js";

/** Less work than this is done before a thread has started. */
const minContents = 200;
const minGroups = 4;
const maxThreads = 16;
/** How long to wait for the other threads, in milliseconds, before their items are done again here. */
const patience = 120_000;

type Work =
  | { kind: "scan"; contents: readonly string[]; pattern: SearchPattern; options: LineLimits }
  | { kind: "index"; groups: readonly (readonly GroupText[])[] };

export class SearchThreads {
  readonly #root: string;
  #workers: Worker[] | undefined;
  #ports: MessagePort[] = [];
  #matcher: Matcher | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Searches contents; those without a hit are not in the result. */
  scan(
    contents: readonly string[],
    pattern: SearchPattern,
    options: LineLimits,
  ): Map<string, Exclude<ScanOutcome, undefined>> {
    this.#matcher ??= compileMatcher(pattern);
    const results = this.#run({ kind: "scan", contents, pattern, options }, contents.length >= minContents);
    results.sort(([a], [b]) => a - b);
    return new Map(
      results.map(([at, outcome]) => [contents[at] as string, outcome as Exclude<ScanOutcome, undefined>]),
    );
  }

  /** Returns the n-grams of each group. */
  index(groups: readonly (readonly GroupText[])[]): IndexedGroup[] {
    const results = this.#run({ kind: "index", groups }, groups.length >= minGroups);
    return results.sort(([a], [b]) => a - b).map(([, group]) => group as IndexedGroup);
  }

  close(): void {
    for (const port of this.#ports) port.close();
    for (const worker of this.#workers ?? []) void worker.terminate();
    this.#workers = undefined;
    this.#ports = [];
  }

  #run(work: Work, isWorthThreads: boolean): TaskResults {
    const task: SearchTask = { ...work, root: this.#root, control: new SharedArrayBuffer(8) };
    const workers = isWorthThreads ? this.#threads() : [];
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
    for (const worker of workers) worker.postMessage(task);
    const results = runTask(task, this.#matcher);
    if (workers.length === 0 || this.#collect(task, workers.length, results)) return results;
    // A thread failed: everything is done again, here.
    this.close();
    this.#workers = [];
    return runTask({ ...task, control: new SharedArrayBuffer(8) }, this.#matcher);
  }

  /** Adds what the other threads found. Returns false if one of them does not finish. */
  #collect(task: SearchTask, count: number, results: TaskResults): boolean {
    const control = new Int32Array(task.control);
    const deadline = Date.now() + patience;
    for (let done = Atomics.load(control, doneAt); done < count; done = Atomics.load(control, doneAt)) {
      if (Date.now() > deadline) return false;
      Atomics.wait(control, doneAt, done, 1000);
    }
    const { receiveMessageOnPort } = lazy("worker_threads");
    for (const port of this.#ports) {
      const message = receiveMessageOnPort(port);
      if (message === undefined) return false;
      for (const result of message.message as TaskResults) results.push(result);
    }
    return true;
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
