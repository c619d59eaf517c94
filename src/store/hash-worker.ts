// A thread that hashes objects: `hash-objects` starts one on each further core. It is started before the
// objects are known, because starting takes a while.
import { parentPort, workerData } from "node:worker_threads";
import { type HashTask, hashLoop } from "./hash-loop.js";

parentPort?.once("message", (task: HashTask) => hashLoop(task, workerData as number));
