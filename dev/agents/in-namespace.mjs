// Runs a program beside a scripted model, where there is no network but loopback:
// `node in-namespace.mjs <script> <requests> <command> [args]`. In arguments and in the environment, @MODEL@ stands for
// the model's address.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { startModel } from "./fake-model.mjs";

/** Longer than any session takes on a busy machine, in milliseconds. */
const patience = 90_000;

const others = Object.keys(networkInterfaces()).filter((name) => name !== "lo");
if (others.length > 0) throw new Error(`there is a network here: ${others.join(", ")}`);

const [script = "", requests = "", command = "", ...args] = process.argv.slice(2);
const model = await startModel(JSON.parse(readFileSync(script, "utf8")), { requests });
const named = (/** @type {string} */ text) => text.replaceAll("@MODEL@", model.url);
const env = Object.fromEntries(
  Object.entries(process.env).map(([name, value]) => [name, named(value ?? "")]),
);
const child = spawn(command, args.map(named), {
  env,
  detached: true,
  stdio: ["ignore", "inherit", "inherit"],
});
// With everything that it started, which would otherwise hold the streams for ever.
const stop = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), patience);
child.on("error", (error) => {
  throw error;
});
child.on("exit", (status, signal) => {
  clearTimeout(stop);
  model.close();
  if (signal !== null) process.stderr.write(`${command} was stopped by ${signal}\n`);
  process.exitCode = status ?? 1;
});
