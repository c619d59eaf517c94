// Writes sessions of Claude Code of any length, in the proportions of real ones: a record has 3 to 4 KB, two
// in five are the model's, one in five is a tool's answer, and one in ten has nothing that is kept.
import { closeSync, openSync, writeSync } from "node:fs";
import { generator, toolOutput, words } from "./logs.mjs";

const session = "5e551011-0000-4000-8000-000000000001";
const folder = "/home/agent/app";

/** @param {string} path @param {number} bytes at least this many */
export function writeTranscript(path, bytes) {
  const random = generator(0x5e55);
  const descriptor = openSync(path, "wx");
  let written = 0;
  let count = 0;
  /** @type {string[]} */
  let waiting = [];
  let size = 0;
  /** @param {string} type @param {object} rest */
  const put = (type, rest) => {
    count++;
    const record = {
      parentUuid: uuid(count - 1),
      isSidechain: false,
      userType: "external",
      cwd: folder,
      sessionId: session,
      version: "2.1.40",
      gitBranch: "main",
      type,
      ...rest,
      uuid: uuid(count),
      timestamp: new Date(Date.UTC(2026, 0, 1) + count * 900).toISOString(),
    };
    const line = `${JSON.stringify(record)}\n`;
    waiting.push(line);
    size += line.length;
  };
  for (let turn = 0; written < bytes; turn++) {
    if (turn % 20 === 0) put("user", { message: { role: "user", content: toolOutput(random, 300) } });
    exchange(random, turn, put);
    if (size < 1 << 22) continue;
    const block = Buffer.from(waiting.join(""));
    for (let done = 0; done < block.length; ) done += writeSync(descriptor, block, done);
    written += block.length;
    waiting = [];
    size = 0;
  }
  closeSync(descriptor);
}

/** @param {number} number */
function uuid(number) {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/**
 * The model thinks, writes something, calls a tool, and gets a result.
 * @param {() => number} random
 * @param {number} turn
 * @param {(type: string, rest: object) => void} put
 */
function exchange(random, turn, put) {
  const id = `toolu_${turn}`;
  // A session uses the same few hundred files repeatedly.
  const path = `${folder}/src/${words[turn % 32]}/part-${turn % 400}.ts`;
  const say = (/** @type {object} */ block) =>
    put("assistant", {
      requestId: `req_${turn}`,
      message: {
        id: `msg_${turn}`,
        type: "message",
        role: "assistant",
        model: "some-model-1",
        content: [block],
        stop_reason: null,
        usage: { input_tokens: 3, cache_read_input_tokens: 40_000 + turn, output_tokens: 5 + (turn & 255) },
      },
    });
  say({ type: "thinking", thinking: toolOutput(random, 400), signature: "c2ln".repeat(60) });
  if (turn % 2 === 0) say({ type: "text", text: toolOutput(random, 200) });
  const { name, input, content, structured } = used(random, turn, path);
  say({ type: "tool_use", id, name, input });
  if (turn % 2 === 1)
    put("progress", { data: { type: "hook_progress", hookName: "PreToolUse" }, toolUseID: id });
  const block = { type: "tool_result", tool_use_id: id, content };
  put("user", { message: { role: "user", content: [block] }, toolUseResult: structured });
}

/** @param {() => number} random @param {number} turn @param {string} path */
function used(random, turn, path) {
  if (turn % 5 < 2) {
    const stdout = toolOutput(random, 3000);
    const structured = { stdout, stderr: "", interrupted: false, isImage: false };
    return { name: "Bash", input: { command: `npm test -- ${path}` }, content: stdout, structured };
  }
  const text = toolOutput(random, 5000);
  if (turn % 5 < 4) {
    const lines = text.split("\n");
    const content = lines.map((line, index) => `${String(index + 1).padStart(6)}\u2192${line}`).join("\n");
    const file = {
      filePath: path,
      content: text,
      numLines: lines.length,
      startLine: 1,
      totalLines: lines.length,
    };
    return { name: "Read", input: { file_path: path }, content, structured: { type: "text", file } };
  }
  const [oldString, newString] = [text.slice(0, 60), text.slice(60, 120)];
  const edit = {
    filePath: path,
    oldString,
    newString,
    originalFile: text,
    userModified: false,
    replaceAll: false,
  };
  return {
    name: "Edit",
    input: { file_path: path, old_string: oldString, new_string: newString },
    content: `The file ${path} has been updated.`,
    structured: { ...edit, structuredPatch: [{ oldStart: 1, lines: [`-${oldString}`, `+${newString}`] }] },
  };
}
