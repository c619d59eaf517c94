// The floor under `ctx pack`: the least that any Node program must do to get a log's contents into a content-addressed
// folder. It checks nothing, makes no manifest and survives no crash. Usage: node floor.mjs <log> <folder> [flush]
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";

const [log, folder, flush] = /** @type {[string, string, string?]} */ (process.argv.slice(2));
const { system_prompt, prompts, inputs, steps } = JSON.parse(readFileSync(log, "utf8"));
const shelves = new Set();
mkdirSync(`${folder}/tmp`);
mkdirSync(`${folder}/objects`);
keep(system_prompt);
for (const { content } of prompts) keep(content);
for (const { content } of inputs) keep(content);
for (const { output } of steps) keep(output);
if (flush === "flush") {
  const { status } = spawnSync("sync", ["-f", folder], { stdio: "ignore" });
  process.exitCode = status ?? 1;
}

/** @param {string} text */
function keep(text) {
  const bytes = Buffer.from(text);
  const hex = createHash("sha256").update(bytes).digest("hex");
  const aside = `${folder}/tmp/${hex}`;
  const descriptor = openSync(aside, "wx");
  writeSync(descriptor, bytes);
  closeSync(descriptor);
  const shelf = `${folder}/objects/${hex.slice(0, 2)}`;
  if (!shelves.has(shelf)) {
    mkdirSync(shelf);
    shelves.add(shelf);
  }
  renameSync(aside, `${shelf}/${hex.slice(2)}`);
}
