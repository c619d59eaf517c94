// The floor under packing a session of Claude Code: parses every line, then hashes, stages and renames every
// content that the pack has, each once. It pairs no call with its result, makes no manifest and survives no
// crash.
// Usage: node transcript-floor.mjs <transcript> <folder>
import { openSync, readSync } from "node:fs";
import { keeper } from "./keep.mjs";

const [transcript, folder] = /** @type {[string, string]} */ (process.argv.slice(2));
const decoder = new TextDecoder();
const keep = keeper(folder, { once: true });
/** The first and the current content of files. @type {Map<string, string>} */
const files = new Map();
for (const line of lines()) take(JSON.parse(line));
for (const text of files.values()) keep(text);

/** @param {any} record */
function take({ message, toolUseResult: result }) {
  if (message === undefined) return;
  if (typeof message.content === "string") return keep(message.content);
  const [block] = message.content;
  if (block.type === "thinking") return keep(block.thinking);
  if (block.type === "text") return keep(block.text);
  if (block.type !== "tool_result") return;
  keep(block.content);
  if (result.stdout !== undefined) keep(result.stdout);
  if (result.file !== undefined) keep(result.file.content);
  if (result.originalFile === undefined) return;
  if (!files.has(result.filePath)) keep(result.originalFile);
  files.set(
    result.filePath,
    result.originalFile.replace(result.oldString, () => result.newString),
  );
}

function* lines() {
  const descriptor = openSync(transcript, "r");
  const piece = Buffer.allocUnsafe(1 << 20);
  let rest = "";
  for (;;) {
    const count = readSync(descriptor, piece);
    if (count === 0) return;
    const parts = (rest + decoder.decode(piece.subarray(0, count), { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
