// Reads the result of a tool call of Claude Code. The log has it twice: as the model saw it, and as the tool
// returned it, with whole files in it. The latter is the output, where there is one; the former is kept where
// it differs.
import { canonicalText } from "../../../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { flagAt, defined, listAt, numberAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { ResultEntry, Status } from "../../run-entries.js";
import { contentText, imageBytes } from "../../protocols/anthropic/text-and-media.js";

export interface ClaudeToolResult {
  tool: string;
  parameters: JsonObject;
  /** The `tool_result` block. */
  block: JsonObject;
  /** What the tool returned, where the log has it. */
  structured: JsonValue | undefined;
}

/** Returns the result of a call: the output, what the model was shown, and how the call ended. */
export function claudeResult(result: ClaudeToolResult): ResultEntry {
  const { tool, block, structured } = result;
  const content = valueAt(block, "content");
  const image = imageBytes(content);
  const seen = image === undefined ? contentText(content) : undefined;
  const status = claudeStatus(block, seen ?? "", structured);
  const exit = status === "error" ? /^(?:Error: )?Exit code (\d{1,3})(?:\n|$)/.exec(seen ?? "") : null;
  const own = ownOutput(result, seen);
  const output = exit === null ? own : (seen ?? "").slice(exit[0].length);
  const isCut = output === seen && seen !== undefined && isCutText(seen);
  return {
    output: output ?? image ?? seen,
    seen,
    status,
    metadata: defined({
      exit_code: exit === null ? undefined : Number(exit[1]),
      truncated: isCut ? true : undefined,
      ...more(tool, structured),
    }),
  };
}

/** Searching for a word is cheaper than for a pattern, and most texts have neither. */
function isCutText(text: string): boolean {
  return (text.includes("truncated") || text.includes("<persisted-output>")) && cutMarks.test(text);
}

/** Marks that Claude Code puts in place of truncated text. */
const cutMarks =
  /<persisted-output>|\[\d+ (?:lines|characters) truncated\]|\.\.\. \[\d+ \w+ truncated\] \.\.\.|Output truncated/;

/** Texts by which a person or a rule denies a call. */
const denials =
  /^(?:The user doesn't want to (?:proceed|take this action)|Permission to use |Error: (?:User rejected|Permission))|permission (?:was )?denied by/;

function claudeStatus(block: JsonObject, seen: string, structured: JsonValue | undefined): Status {
  if (flagAt(structured, "interrupted")) return "interrupted";
  if (!flagAt(block, "is_error")) return "ok";
  if (seen.startsWith("[Request interrupted")) return "interrupted";
  return denials.test(seen) ? "denied" : "error";
}

/** Returns what the tool returned; undefined when the log has only what the model saw. */
function ownOutput(
  { tool, parameters, structured }: ClaudeToolResult,
  seen: string | undefined,
): ResultEntry["output"] {
  if (structured === undefined || structured === null || typeof structured === "string")
    return tool === "Read" && seen !== undefined ? unnumbered(seen) : undefined;
  switch (tool) {
    case "Read":
      return readOutput(structured);
    case "Write":
    case "Edit":
    case "MultiEdit":
    case "NotebookEdit":
      // The change itself is in the parameters, and the files become inputs and outputs.
      return seen;
    case "Bash":
      return joined(textAt(structured, "stdout"), textAt(structured, "stderr"));
    case "Glob":
      return lines(listAt(structured, "filenames"));
    case "Grep":
      return textAt(structured, "content") ?? lines(listAt(structured, "filenames"));
    case "WebFetch":
      return textAt(structured, "result");
    case "Task":
    case "Agent":
      return listAt(structured, "content").length > 0 ? contentText(valueAt(structured, "content")) : seen;
    default:
      // MCP tools return a list of blocks, and so does the model's view.
      if (Array.isArray(structured) || tool.startsWith("mcp__")) return contentText(structured);
      return Object.keys(parameters).length === 0 && !isObject(structured)
        ? undefined
        : canonicalText(structured);
  }
}

function readOutput(structured: JsonValue): ResultEntry["output"] {
  const text = textAt(structured, "file", "content");
  if (text !== undefined) return text;
  const base64 = textAt(structured, "file", "base64");
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  const cells = valueAt(structured, "file", "cells");
  return cells === undefined ? undefined : canonicalText(cells);
}

function joined(stdout: string | undefined, stderr: string | undefined): string | undefined {
  if (stdout === undefined && stderr === undefined) return undefined;
  return [stdout, stderr].filter((part) => part !== undefined && part !== "").join("\n");
}

function lines(names: readonly JsonValue[]): string {
  return names.filter((name) => typeof name === "string").join("\n");
}

/** Returns a file as the model saw it, without line numbers; undefined when it has none. */
export function unnumbered(seen: string): string | undefined {
  const all = withoutReminders(seen).split("\n");
  const plain = all.map((line) => /^ *\d+(?:\u2192|\t)(.*)$/s.exec(line)?.[1]);
  return plain.every((line) => line !== undefined) ? plain.join("\n") : undefined;
}

const reminder = { begin: "<system-reminder>", end: "</system-reminder>" };

/** Removes what the client appends. */
function withoutReminders(seen: string): string {
  let text = seen;
  for (let count = 0; count < 20; count++) {
    const trimmed = text.trimEnd();
    const at = trimmed.endsWith(reminder.end) ? trimmed.lastIndexOf(reminder.begin) : -1;
    if (at === -1) return text;
    let end = at;
    while (end > 0 && text[end - 1] === "\n") end--;
    text = text.slice(0, end);
  }
  return text;
}

/** Returns small facts that belong neither to the output nor to what was seen. */
function more(tool: string, structured: JsonValue | undefined): JsonObject {
  if (structured === undefined || structured === null || !isObject(structured)) return {};
  const agent = textAt(structured, "agentId");
  const file = objectAt(structured, "file");
  return defined({
    agent:
      agent === undefined
        ? undefined
        : defined({
            id: agent,
            type: textAt(structured, "agentType"),
            tokens: numberAt(structured, "totalTokens"),
            tool_uses: numberAt(structured, "totalToolUseCount"),
            duration_ms: numberAt(structured, "totalDurationMs"),
          }),
    background: textAt(structured, "backgroundTaskId"),
    user_modified: flagAt(structured, "userModified") ? true : undefined,
    lines:
      tool !== "Read" || file === undefined
        ? undefined
        : defined({
            from: numberAt(file, "startLine"),
            count: numberAt(file, "numLines"),
            of: numberAt(file, "totalLines"),
          }),
    http_status: tool === "WebFetch" ? numberAt(structured, "code") : undefined,
  });
}
