// The executor of editors that show a numbered part of a file after each change: it prints the whole file in
// that form, and `rules/window.ts` compares the lines that the record shows.
import type { EditorChange, ToolUse } from "../tools/tool-use.js";
import { NotApplied, StepFailure } from "./outcome.js";
import { insertLines, replaceLines, replaceTexts } from "./text-edits.js";
import { maxBytes, type Workspace } from "./workspace.js";

export type WindowUse = Extract<ToolUse, { action: "window" }>;

/** Carries out a call, and returns the file as its editor would show all of it. */
export function showWindow(workspace: Workspace, use: WindowUse, folder?: string): Buffer {
  const path = workspace.locate(use.path, folder);
  if (use.isNew === true) {
    if (workspace.stat(path) !== undefined)
      throw new NotApplied(`${path} is there already, and was to be new`);
    workspace.write(path, Buffer.from("\n"));
  } else if (use.change !== undefined) {
    const changed = changedBy(use.change, workspace.read(path), path);
    if (changed.length > maxBytes)
      throw new StepFailure("error", `${path} would become too large`, { untried: true });
    workspace.write(path, changed);
  } else if (workspace.stat(path)?.kind === "folder") return listing(workspace, path);
  return numbered(workspace.read(path), path);
}

function changedBy(change: EditorChange, content: Buffer, path: string): Buffer {
  if ("old" in change) return replaceTexts(content, [change], path);
  if ("from" in change) return replaceLines(content, change, path);
  const { after = lineCount(content), content: text } = change;
  return insertLines(content, { after, text }, path);
}

function lineCount(content: Buffer): number {
  let count = 0;
  for (const byte of content) if (byte === 10) count++;
  return content.length === 0 || content.at(-1) === 10 ? count : count + 1;
}

function numbered(content: Buffer, path: string): Buffer {
  const lines = content.toString("latin1").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const text = lines.map((line, at) => `${at + 1}:${line}\n`).join("");
  return Buffer.from(
    `[File: ${Buffer.from(path).toString("latin1")} (${lines.length} lines total)]\n${text}`,
    "latin1",
  );
}

/** Lists a folder and those right in it, without hidden entries. */
function listing(workspace: Workspace, path: string): Buffer {
  const found: string[] = [];
  workspace.walk(path, (entry) => {
    const parts = entry.path.split("/");
    if (parts.length <= 2 && !parts.some((part) => part.startsWith("."))) found.push(entry.path);
  });
  const text = found.sort().map((name) => `${name}\n`);
  return Buffer.from(`[Folder: ${Buffer.from(path).toString("latin1")}]\n${text.join("")}`, "latin1");
}

/** What SWE-agent's editor says when it takes an edit back: the linter found errors that were not there. */
const refusal = /^Your (?:proposed )?edit has introduced (?:new )?(?:syntax )?error/;

/** Returns whether the record says that the editor took the change back. */
export function wasTakenBack(recorded: string): boolean {
  return refusal.test(recorded.trimStart());
}
