// A thread that hashes objects: what `hash-objects` starts on each further core. It is started before anybody knows what
// there is to do, because starting takes a while.
import { parentPort, workerData } from "node:worker_threads";
import { type HashTask, hashLoop } from "./hash-loop.js";

parentPort?.once("message", (task: HashTask) => hashLoop(task, workerData as number));
