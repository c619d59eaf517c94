// Derives what a tool of Claude Code did to files, and what it showed of them. The log holds the whole file
// before each change.
import { type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { flagAt, listAt, numberAt, textAt } from "../../json-access.js";
import { applyEdits } from "../../file-effects.js";
import type { FileStates } from "../../file-states.js";
import { type ClaudeToolResult, unnumbered } from "./tool-results.js";

/** Notes the files that a successful call read or changed. */
export function noteFiles(files: FileStates, result: ClaudeToolResult, seen: string): void {
  switch (result.tool) {
    case "Read":
      return noteRead(files, result, seen);
    case "Write":
      return noteWrite(files, result);
    case "Edit":
    case "MultiEdit":
      return noteEdit(files, result);
    case "NotebookEdit": {
      const path = textAt(result.parameters, "notebook_path");
      const [before, after] = [
        textAt(result.structured, "original_file"),
        textAt(result.structured, "updated_file"),
      ];
      if (path === undefined) return;
      if (before !== undefined) files.before(path, before);
      files.after(path, after);
      return;
    }
    default:
  }
}

/** Beyond this many lines, or characters in a line, the tool shows only a part. */
const maxShown = 2000;

function noteRead(files: FileStates, { parameters, structured }: ClaudeToolResult, seen: string): void {
  const path = textAt(structured, "file", "filePath") ?? textAt(parameters, "file_path");
  if (path === undefined) return;
  const content = textAt(structured, "file", "content");
  if (content !== undefined) {
    const [from, count, of] = ["startLine", "numLines", "totalLines"].map((key) =>
      numberAt(structured, "file", key),
    );
    if ((from ?? 1) <= 1 && count !== undefined && count === of) files.see(path, content, { isHeld: false });
    return;
  }
  if (structured !== undefined || "offset" in parameters || "limit" in parameters) return;
  const text = unnumbered(seen);
  const all = text?.split("\n");
  if (
    text !== undefined &&
    all !== undefined &&
    all.length < maxShown &&
    all.every((line) => line.length < maxShown)
  )
    files.see(path, text);
}

function noteWrite(files: FileStates, { parameters, structured }: ClaudeToolResult): void {
  const path = textAt(structured, "filePath") ?? textAt(parameters, "file_path");
  if (path === undefined) return;
  const before = textAt(structured, "originalFile");
  if (before !== undefined) files.before(path, before);
  else if (textAt(structured, "type") === "create") files.before(path, null);
  files.after(path, textAt(structured, "content") ?? textAt(parameters, "content"));
}

function noteEdit(files: FileStates, { parameters, structured }: ClaudeToolResult): void {
  const path = textAt(structured, "filePath") ?? textAt(parameters, "file_path");
  if (path === undefined) return;
  const recorded = textAt(structured, "originalFile") ?? textAt(structured, "originalFileContents");
  const before = recorded ?? files.textOf(path);
  if (recorded !== undefined) files.before(path, recorded);
  const edits = editsOf(parameters, structured);
  let text = before;
  for (const edit of edits) text = text === undefined ? undefined : applied(text, edit);
  files.after(path, text);
}

/** A larger difference is not kept in the metadata of a step. */
const maxBefore = 16_384;

/**
 * Returns how a file had changed before an edit, since the last step of the agent that is known to have
 * touched
 * it: the lines that a formatter, a hook or the user replaced. Replay sets the file back to them. Undefined
 * if nothing had changed, or if that is not known.
 */
export function changedBefore(
  files: FileStates,
  { tool, parameters, structured }: ClaudeToolResult,
): JsonObject | undefined {
  if (tool !== "Edit" && tool !== "MultiEdit") return undefined;
  const path = textAt(structured, "filePath") ?? textAt(parameters, "file_path");
  const recorded = textAt(structured, "originalFile") ?? textAt(structured, "originalFileContents");
  const known = path === undefined ? undefined : files.textOf(path);
  if (recorded === undefined || known === undefined || known === recorded) return undefined;
  const [old, now] = [known, recorded].map((text) => text.split(/(?<=\n)/)) as [string[], string[]];
  let from = 0;
  while (from < old.length && from < now.length && old[from] === now[from]) from++;
  let end = 0;
  const room = Math.min(old.length, now.length) - from;
  while (end < room && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const text = now.slice(from, now.length - end).join("");
  return text.length > maxBefore ? undefined : { line: from + 1, removed: old.length - from - end, text };
}

function editsOf(parameters: JsonObject, structured: JsonValue | undefined): readonly JsonValue[] {
  const many = listAt(parameters, "edits");
  if (many.length > 0) return many;
  // If the user changed the edit before agreeing, the changed edit is in the result.
  const own = textAt(structured, "newString") === undefined ? parameters : structured;
  return own === undefined ? [] : [own];
}

/** Returns the text after an edit; undefined when it does not fit. */
function applied(text: string, edit: JsonValue): string | undefined {
  const old = textAt(edit, "old_string") ?? textAt(edit, "oldString");
  const now = textAt(edit, "new_string") ?? textAt(edit, "newString");
  if (old === undefined || now === undefined) return undefined;
  if (old === "") return text === "" ? now : undefined;
  return applyEdits(text, [
    { old, new: now, all: flagAt(edit, "replace_all") || flagAt(edit, "replaceAll") },
  ]);
}
