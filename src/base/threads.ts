// Starts threads, each with a program of its own that lies beside the one that asks for it.
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Threads from "node:worker_threads";

export interface ThreadProgram {
  /** The file that asks: its `import.meta.url`, or its path in the bundle. */
  beside: string;
  /** The program's file without an extension. */
  name: string;
}

/** As many threads as asked for; none when run from source, where their program is not to be had. */
export function startThreads({ beside, name }: ThreadProgram, count: number): Threads.Worker[] {
  const here = beside.startsWith("file:") ? fileURLToPath(beside) : beside;
  const path = join(dirname(here), `${name}${here.endsWith(".cjs") ? ".cjs" : ".js"}`);
  if (count <= 0 || !fs.existsSync(path)) return [];
  const { Worker } = createRequire(beside)("node:worker_threads") as typeof Threads;
  return Array.from({ length: count }, (_, at) => {
    const worker = new Worker(path, { workerData: at + 1, trackUnmanagedFds: false });
    // A thread that fails leaves its work to whoever started it.
    worker.on("error", () => undefined);
    worker.unref();
    return worker;
  });
}
