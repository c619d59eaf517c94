// Checks many objects against their names, on all cores. The caller blocks: it would do nothing else
// meanwhile, and the library promises to be done when it returns.
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import type { Worker } from "node:worker_threads";
import { CtxError } from "../base/errors.js";
import { startThreads } from "../base/threads.js";
import { type HashTask, hashLoop, states } from "./hash-loop.js";
import { glimpseObject } from "./objects.js";

export interface Hashed {
  /** Errors by object; intact objects have none. */
  faults: Map<string, CtxError>;
  bytes: number;
}

/** Hashing fewer objects than this takes less time than starting a thread. */
const minObjects = 200;
/**
 * How long to wait for the other threads, in milliseconds, before this thread checks their objects itself.
 */
const timeout = 60_000;

/** Checks these objects. */
export function hashObjects(root: string, names: readonly string[]): Hashed {
  return new Hashers(root, names.length).start(names, false)();
}

/** Threads that hash, which can be started before the objects are known. */
export class Hashers {
  readonly #root: string;
  readonly #workers: Worker[];

  /** `expected`: about how many objects there will be. */
  constructor(root: string, expected: number) {
    this.#root = root;
    const threads = expected < minObjects ? 1 : Math.min(availableParallelism(), 64);
    this.#workers = startThreads({ beside: import.meta.url, name: "hash-worker" }, threads - 1);
  }

  /**
   * Starts the other cores; the returned function does the rest, and waits for them. It calls `progress` now
   * and then with the number of objects taken. `areFiles`: each is known to be a regular file.
   */
  start(names: readonly string[], areFiles: boolean): (progress?: (done: number) => void) => Hashed {
    const folder = join(this.#root, "objects");
    // The path from the working folder is usually shorter, and it is resolved once for each object.
    const near = relative("", folder);
    const task: HashTask = {
      folder: near.length < folder.length ? near : folder,
      areFiles,
      names: names.join(""),
      states: new SharedArrayBuffer(names.length),
      control: new SharedArrayBuffer(4),
      bytes: new SharedArrayBuffer(8 * (this.#workers.length + 1)),
    };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
    for (const worker of this.#workers) worker.postMessage(task);
    return (progress) => {
      hashLoop(task, 0, progress);
      waitFor(task);
      for (const worker of this.#workers) void worker.terminate();
      const bytes = new Float64Array(task.bytes).reduce((sum, each) => sum + each, 0);
      return lookAgain(this.#root, names, new Uint8Array(task.states), bytes);
    };
  }
}

/** Checks suspicious objects once more, slowly, to find out what is wrong. */
function lookAgain(root: string, names: readonly string[], found: Uint8Array, read: number): Hashed {
  const faults = new Map<string, CtxError>();
  let bytes = read;
  names.forEach((hex, at) => {
    if (found[at] === states.intact) return;
    try {
      bytes += glimpseObject(root, hex, 0).size;
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      faults.set(hex, error);
    }
  });
  return { faults, bytes };
}

/** Waits until the other threads are done with the objects that they took. */
function waitFor(task: HashTask): void {
  const found = new Uint8Array(task.states);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const deadline = Date.now() + timeout;
  for (let at = 0; at < found.length; at++)
    while (Atomics.load(found, at) === states.waiting && Date.now() < deadline) Atomics.wait(pause, 0, 0, 1);
}
