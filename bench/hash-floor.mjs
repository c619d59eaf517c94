// The floor under packing a run whose steps are mostly alike: parses the log and hashes each content, in a
// bare loop. It writes nothing. Usage: node hash-floor.mjs <log>
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [log] = /** @type {[string]} */ (process.argv.slice(2));
const { system_prompt, prompts, inputs, steps } = JSON.parse(readFileSync(log, "utf8"));
hash(system_prompt);
for (const { content } of prompts) hash(content);
for (const { content } of inputs) hash(content);
for (const { output } of steps) hash(output);

/** @param {string} text */
function hash(text) {
  return createHash("sha256").update(text).digest("hex");
}
