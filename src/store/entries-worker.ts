// A thread that reads manifests for a catalog: what `read-entries` starts.
import { parentPort } from "node:worker_threads";
import { handOver } from "./entries-loop.js";

parentPort?.once("message", handOver);
