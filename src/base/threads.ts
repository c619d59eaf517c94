// Starts threads, each with a program of its own that is beside the file that starts it.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Threads from "node:worker_threads";
import { lazy } from "./lazy.js";

export interface ThreadProgram {
  /** The file that starts the thread: its `import.meta.url`, or its path in the bundle. */
  beside: string;
  /** The program's file without an extension. */
  name: string;
}

/** Starts `count` threads; none when run from source, where their program does not exist. */
export function startThreads({ beside, name }: ThreadProgram, count: number): Threads.Worker[] {
  const here = beside.startsWith("file:") ? fileURLToPath(beside) : beside;
  const path = join(dirname(here), `${name}${here.endsWith(".cjs") ? ".cjs" : ".js"}`);
  if (count <= 0 || !fs.existsSync(path)) return [];
  const { Worker } = lazy("worker_threads");
  return Array.from({ length: count }, (_, at) => {
    const worker = new Worker(path, { workerData: at + 1, trackUnmanagedFds: false });
    // A failed thread leaves its work to the thread that started it.
    worker.on("error", () => undefined);
    worker.unref();
    return worker;
  });
}
