#!/usr/bin/env node
// A ctx as narrow as the reference implementation: its commands with exactly their arguments, no field of a
// log that it does not know, and files that are read where it was started. The work itself is done by the
// built program.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/ctx.cjs", import.meta.url));
const counts = { "--version": 0, init: 0, pack: 1, show: 1, log: 0, diff: 2, replay: 1 };
const fields = {
  log: ["model", "system_prompt", "prompts", "inputs", "steps", "outputs", "environment"],
  model: ["identifier", "parameters"],
  prompts: ["role", "content"],
  inputs: ["name", "content"],
  steps: ["index", "type", "tool", "parameters", "output", "deterministic", "timestamp"],
  outputs: ["name", "content"],
  environment: ["os", "runtime", "tool_versions"],
};

const [command = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(counts, command)) fail(`unknown command ${command}`);
if (args.length !== counts[command]) fail(`${command} takes ${counts[command]}, not ${args.length}`);
if (command === "pack") checkLog(JSON.parse(readFileSync(args[0], "utf8")));
if (command === "replay") replay(args[0]);
else
  process.exitCode =
    spawnSync(process.execPath, [program, command, ...args], { stdio: "inherit" }).status ?? 1;

function checkLog(log) {
  known("log", log);
  for (const [section, value] of Object.entries(log))
    for (const part of [value].flat()) if (typeof part === "object") known(section, part);
  for (const text of [log.model.identifier, log.system_prompt, log.environment.os, log.environment.runtime])
    if (!text) fail("something that is needed is empty");
  for (const [at, { type, tool, index, timestamp }] of log.steps.entries())
    if (!type || !tool || index !== at || Number.isNaN(Date.parse(timestamp)))
      fail(`steps[${at}] is not whole`);
}

function known(section, value) {
  const other = Object.keys(value).find((key) => !fields[section].includes(key));
  if (other !== undefined) fail(`unknown field ${other} in ${section}`);
}

function replay(pack) {
  const { stdout } = spawnSync(process.execPath, [program, "show", pack, "--json"], { encoding: "utf8" });
  for (const { tool, parameters, output_ref } of JSON.parse(stdout).steps) {
    if (tool !== "read_file") fail(`tool not available: ${tool}`);
    const hex = createHash("sha256").update(readFileSync(parameters.path)).digest("hex");
    if (`sha256:${hex}` !== output_ref) fail(`${parameters.path} differs`);
  }
  process.stdout.write("exact\n");
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
