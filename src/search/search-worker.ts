// A thread that searches or indexes contents: `search-threads` starts one on each further core.
import { parentPort } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { compileMatcher, type Matcher } from "./matcher.js";
import { doneAt, runTask, type SearchTask } from "./search-task.js";

let results: MessagePort | undefined;
let matcher: Matcher | undefined;

parentPort?.on("message", (message: { port: MessagePort } | SearchTask) => {
  if ("port" in message) {
    results = message.port;
    return;
  }
  if (message.kind === "scan") matcher ??= compileMatcher(message.pattern);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; only windows do
  results?.postMessage(runTask(message, matcher));
  const control = new Int32Array(message.control);
  Atomics.add(control, doneAt, 1);
  Atomics.notify(control, doneAt);
});
