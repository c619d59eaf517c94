// The worker thread of `WorkerScan`. It is started before there is anything to scan, because starting takes a
// while.
import { parentPort } from "node:worker_threads";
import { type WorkerScanTask, scanBackwards } from "./worker-scan-loop.js";

parentPort?.once("message", (task: WorkerScanTask) => scanBackwards(task));
