// Runs a program beside a scripted model, where there is no network but loopback and no process but its own:
// `node in-namespace.mjs <script> <requests> <command> [args]`. In arguments and in the environment, @MODEL@ stands for
// the model's address. It ends when the program has ended and everything that it left in the background.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { startModel } from "./fake-model.mjs";

/** Longer than any session takes on a busy machine, in milliseconds. */
const patience = 90_000;

/** How long processes in the background may go on, in milliseconds: a hook packs a session there. */
const patienceAfterwards = 20_000;

const others = Object.keys(networkInterfaces()).filter((name) => name !== "lo");
if (others.length > 0) throw new Error(`there is a network here: ${others.join(", ")}`);

/** Returns the processes that are not part of the test itself: bwrap is 1. */
function background() {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || name === "1" || Number(name) === process.pid) return false;
    try {
      // A zombie is only waiting for its parent.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${name}/status`, "utf8"));
    } catch {
      return false;
    }
  });
}

const [script = "", requests = "", command = "", ...args] = process.argv.slice(2);
const model = await startModel(JSON.parse(readFileSync(script, "utf8")), { requests });
const named = (/** @type {string} */ text) => text.replaceAll("@MODEL@", model.url);
const env = Object.fromEntries(
  Object.entries(process.env).map(([name, value]) => [name, named(value ?? "")]),
);
const child = spawn(command, args.map(named), {
  env,
  stdio: ["ignore", "inherit", "inherit"],
  timeout: patience,
});
child.on("error", (error) => {
  throw error;
});
child.on("exit", async (status, signal) => {
  if (signal !== null) process.stderr.write(`${command} was stopped by ${signal}\n`);
  const until = Date.now() + patienceAfterwards;
  while (background().length > 0 && Date.now() < until) await sleep(20);
  // The namespace ends with this process, and so does everything in it.
  process.exit(status ?? 1);
});
