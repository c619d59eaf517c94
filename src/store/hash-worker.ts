// A thread that hashes objects: what `hash-objects` starts on each further core.
import { workerData } from "node:worker_threads";
import { type HashTask, hashLoop } from "./hash-loop.js";

const { task, thread } = workerData as { task: HashTask; thread: number };
hashLoop(task, thread);
