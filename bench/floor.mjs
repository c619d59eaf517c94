// The floor under `ctx pack`: the least that any Node program must do to get a log's contents into a
// content-addressed folder. It checks nothing, makes no manifest and survives no crash. Usage: node floor.mjs
// <log> <folder> [flush]
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { keeper } from "./keep.mjs";

const [log, folder, flush] = /** @type {[string, string, string?]} */ (process.argv.slice(2));
const { system_prompt, prompts, inputs, steps } = JSON.parse(readFileSync(log, "utf8"));
const keep = keeper(folder);
keep(system_prompt);
for (const { content } of prompts) keep(content);
for (const { content } of inputs) keep(content);
for (const { output } of steps) keep(output);
if (flush === "flush") {
  const { status } = spawnSync("sync", ["-f", folder], { stdio: "ignore" });
  process.exitCode = status ?? 1;
}
