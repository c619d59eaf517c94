// Reads results of the tools of Gemini CLI and its forks. The result of a command wraps its output, and
// results of changes hold the file before and after.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { flagAt, defined, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { FileStates } from "../../file-states.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Status } from "../../run-entries.js";

export interface GeminiResult {
  tool: string;
  parameters: JsonObject;
  /** In the log's words: success, error, cancelled; undefined where it does not say. */
  status: string | undefined;
  /** What the model was shown. */
  text: string | undefined;
  /** What the model was shown, where the client appended something to the text. */
  seen?: string;
  isError: boolean;
  /** What the user was shown: a string, or an object with the file before and after. */
  display: JsonValue | undefined;
  time: string | undefined;
  /** Whether the text is what the user was shown: it is no file's, and nothing is wrapped around it. */
  isShown?: boolean;
}

/** States of a call that has no result yet. */
const unfinished = new Set(["scheduled", "executing", "validating", "awaiting_approval"]);

/** Adds the result of a call; returns false when it has none yet. */
export function takeResult(builder: RunBuilder, id: string, result: GeminiResult): boolean {
  const { text, display } = result;
  if (unfinished.has(result.status ?? "") || (result.status === undefined && text === undefined))
    return false;
  const isWrapped = isCommand(result.tool) && result.isShown !== true;
  const printed = isWrapped ? printedBy(text, display) : undefined;
  const exit_code = printed?.exitCode;
  const isCut = text !== undefined && cuts.some((cut) => text.includes(cut));
  if (isCut) builder.coverage.truncated++;
  const status = geminiStatus(result, exit_code);
  const output = printed?.output ?? text ?? (typeof display === "string" ? display : undefined);
  builder.result(id, {
    output,
    seen: result.seen ?? text,
    status,
    time: result.time,
    metadata: defined({ exit_code, truncated: isCut ? true : undefined }),
  });
  if (status === "ok") noteFiles(builder.files, result);
  return true;
}

/** Marks in place of truncated or removed output. */
const cuts = [
  "Tool output was too large and has been truncated",
  "Output too large. Showing ",
  "IMPORTANT: The file content has been truncated.",
  "<tool_output_masked>",
  "... [CONTENT TRUNCATED] ...",
];

function geminiStatus({ status, text = "", isError }: GeminiResult, exitCode: number | undefined): Status {
  const beginning = text.slice(0, 500);
  if (status === "cancelled" || beginning.startsWith("[Operation Cancelled]"))
    return /did not allow|denied|rejected|declined/i.test(beginning) ? "denied" : "interrupted";
  if (/denied by policy/i.test(beginning) && (isError || status === "error")) return "denied";
  return status === "error" || isError || (exitCode ?? 0) !== 0 ? "error" : "ok";
}

function isCommand(tool: string): boolean {
  return /^(?:run_shell_command|shell)$/.test(tool);
}

const emptyOutput = "Output: (empty)";
const afterOutput = /^(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): /;

/** Extracts the output of a command from the text that the model was shown. */
function printedBy(
  text: string | undefined,
  display: JsonValue | undefined,
): { output: string; exitCode: number | undefined } | undefined {
  if (text === undefined) return undefined;
  const begin = /^Output: /m.exec(text)?.index;
  if (begin === undefined) return undefined;
  const body = text.slice(begin);
  const known = typeof display === "string" && display.trim() !== "" ? `Output: ${display}` : undefined;
  const head = [known, emptyOutput].find((start) => start !== undefined && body.startsWith(start));
  const size = head?.length ?? sizeWithoutNotes(body);
  const output = head === emptyOutput ? "" : body.slice("Output: ".length, size);
  const code = /^Exit Code: (-?\d{1,10})$/m.exec(body.slice(size))?.[1];
  return { output, exitCode: code === undefined ? undefined : Number(code) };
}

/** Returns where the notes begin that follow the output. */
function sizeWithoutNotes(body: string): number {
  let size = body.length;
  for (;;) {
    const start = body.lastIndexOf("\n", size - 1);
    if (start <= 0 || !afterOutput.test(body.slice(start + 1, Math.min(size, start + 40)))) return size;
    size = start;
  }
}

function noteFiles(files: FileStates, result: GeminiResult): void {
  const { parameters, display, tool, isShown = false } = result;
  const change = objectAt(display);
  const path =
    wordAt(change, "filePath") ?? wordAt(parameters, "file_path") ?? wordAt(parameters, "absolute_path");
  if (path === undefined) return;
  if (change !== undefined && valueAt(change, "newContent") !== undefined)
    return noteChange(files, path, change, result.text ?? "");
  if (tool === "read_file" && !isShown) noteRead(files, path, result);
  if (tool === "write_file") {
    if (result.text?.startsWith("Successfully created") === true) files.before(path, null);
    const isOther = result.text?.includes("User modified") === true;
    files.after(path, isOther ? undefined : textAt(parameters, "content"));
  }
  if (/^(?:replace|edit)$/.test(tool)) files.after(path, undefined);
}

function noteChange(files: FileStates, path: string, change: JsonObject, shown: string): void {
  const before = valueAt(change, "originalContent");
  // Qwen Code has an empty text for a file that was not there; what the model was shown tells the two apart.
  const isMissing = before === "" && !/\b(?:overwrote|modified|updated|edited)\b/i.test(shown.slice(0, 200));
  const isNew = flagAt(change, "isNewFile") || before === null || isMissing;
  // Long contents are truncated where the session is stored.
  if (isNew) files.before(path, null);
  else if (typeof before === "string" && !flagAt(change, "originalContentTruncated"))
    files.before(path, before);
  files.after(path, flagAt(change, "newContentTruncated") ? undefined : textAt(change, "newContent"));
}

/** Signs that a file was not shown in full: long lines and files are truncated, and notes are inserted. */
const notWhole = [
  ...cuts,
  "... [truncated]",
  "--- Newly Discovered Project Context",
  "Binary content provided",
  "Cannot display content of binary file",
];

function noteRead(files: FileStates, path: string, { text, parameters }: GeminiResult): void {
  const isPart = ["offset", "limit", "start_line", "end_line"].some((name) => name in parameters);
  if (isPart || text === undefined || notWhole.some((sign) => text.includes(sign))) return;
  files.see(path, text);
}
