// A thread that searches or indexes contents: `search-threads` starts one on each further core.
import { parentPort } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { activeAt, type SearchTask, sentAt, TaskRunner } from "./search-task.js";

const runner = new TaskRunner();
let results: MessagePort | undefined;

parentPort?.on("message", (message: { port: MessagePort } | SearchTask) => {
  if ("port" in message) {
    results = message.port;
    return;
  }
  const control = new Int32Array(message.control);
  // Before the first item is taken: when all are taken, the thread that waits knows for whom.
  Atomics.add(control, activeAt, 1);
  try {
    const result = runner.run(message);
    if (result.items.length === 0 && result.bytes === 0) return;
    // Counted even if it cannot be sent: then everything is done again, in the thread that waits.
    Atomics.add(control, sentAt, 1);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
    results?.postMessage({ number: message.number, result });
  } catch {
    Atomics.add(control, sentAt, 1);
  } finally {
    Atomics.sub(control, activeAt, 1);
    Atomics.notify(control, activeAt);
  }
});
