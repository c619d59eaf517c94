// A thread that looks for secrets: what `ahead` starts. It is started before anybody knows what there is to look through, because
// starting takes a while.
import { parentPort } from "node:worker_threads";
import { type AheadTask, lookAhead } from "./worker-scan-loop.js";

parentPort?.once("message", (task: AheadTask) => lookAhead(task));
