// Makes V8's code cache of a built program: runs everyday commands once in a folder, so that what they use is compiled, keeps
// the result, and prints the names of its commands. Called by the build as `code-cache.mjs <program> <cache file>
// pack|look|check|all <folder>`, first with `pack`, which fills the folder.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

const [, , file, cache, kind, folder] = process.argv;
const script = new Script(readFileSync(file, "latin1"), { filename: file });
const loaded = { exports: {} };
script.runInThisContext()(loaded.exports, createRequire(file), loaded, file, dirname(file));

const log = {
  created: "2026-01-01T00:00:00Z",
  model: { identifier: "m", parameters: { temperature: 0.5 } },
  system_prompt: "a\nb",
  prompts: [{ role: "user", content: "é" }],
  inputs: [{ name: "in", content: "x" }],
  steps: [
    {
      type: "tool_call",
      tool: "t",
      parameters: { path: "x" },
      output: "y",
      timestamp: "2026-01-01T00:00:00Z",
    },
    { type: "reasoning", output_base64: "/w==" },
  ],
  outputs: [{ name: "out", content: "z" }],
  environment: { os: "linux", runtime: "node" },
};
const stream = { isTerminal: false, screen: { width: 80, colour: true }, write: () => {} };
const terminal = {
  out: stream,
  error: stream,
  folder,
  env: {},
  readInput: () => Buffer.from(JSON.stringify(log)),
  input: () => [Buffer.from(given.map((record) => `${JSON.stringify(record)}\n`).join(""))],
};
/** What agents' hooks hand over: a session of a coding agent. */
const call = { type: "tool_use", id: "t", name: "Read", input: { file_path: "/w/a" } };
const session = [
  { type: "user", message: { role: "user", content: "hi" } },
  { type: "assistant", message: { id: "m", model: "m", content: [call], usage: { output_tokens: 1 } } },
  {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "1\u2192x" }] },
    toolUseResult: {
      type: "text",
      file: { filePath: "/w/a", content: "x", numLines: 1, startLine: 1, totalLines: 1 },
    },
  },
  { type: "assistant", message: { id: "n", model: "m", content: [{ type: "text", text: "done" }] } },
].map((record, index) => ({
  ...record,
  uuid: String(index),
  sessionId: "s",
  timestamp: "2026-01-01T00:00:00Z",
  cwd: "/w",
}));
let given = [log];
const everyday = {
  pack: [["init"], ["pack", "-"], ["pack", "-", "--from", "claude-code"]],
  look: [["log"], ["log", "--oneline"], ["show", "latest"], ["cat", "latest"], ["tag", "x"], ["tag"]],
  check: [["diff", "latest", "latest"], ["verify", "latest"], ["verify", "--all"], ["status"]],
  all: [
    ["__complete", "--", "sh"],
    ["__complete", "--", "show", "la"],
    ["__complete", "--", "log", "--tool="],
  ],
};
for (const argv of everyday[kind]) {
  given = argv.includes("claude-code") ? session : [log];
  const status = await loaded.exports.main(argv, terminal);
  if (status !== 0) throw new Error(`ctx ${argv.join(" ")} exited with ${status}`);
}
writeFileSync(cache, script.createCachedData());
process.stdout.write(JSON.stringify(loaded.exports.names));
