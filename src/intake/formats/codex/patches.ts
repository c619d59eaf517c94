// Derives what Codex and similar agents did to files: changes that patches made, and files that a plain `cat`
// showed in full. A patch is applied only where the text before it is known and every line fits; anything
// else is recorded as unknown.
import { posix } from "node:path";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { isObject } from "../../../base/json/value.js";
import { toolUse } from "../../../tools/table.js";
import { textAt, wordAt } from "../../json-access.js";
import type { FileStates } from "../../file-states.js";

/** Applies the changes of an event: each path with its change. */
export function applyChanges(files: FileStates, changes: JsonObject, cwd: string | undefined): void {
  for (const [path, change] of Object.entries(changes)) {
    const name = absolutePath(path, cwd);
    // The oldest form has the kind as a key.
    const [kind, about] = changeKind(change);
    const content = textAt(about, "content");
    if (kind === "add") {
      files.before(name, null);
      files.after(name, content);
    } else if (kind === "delete") {
      if (content !== undefined) files.before(name, content);
      files.after(name, null);
    } else {
      const diff = textAt(about, "unified_diff");
      const now = diff === undefined ? undefined : patched(files.textOf(name), hunksOf(diff));
      moved(files, { from: name, to: wordAt(about, "move_path"), cwd, now });
    }
  }
}

/** Applies a patch as the model wrote it, for logs without events about changes. */
export function applyPatch(files: FileStates, text: string, cwd: string | undefined): void {
  const body = /\*\*\* Begin Patch\s*\n([\s\S]*?)(?:\n\*\*\* End Patch|$)/.exec(text)?.[1] ?? "";
  for (const part of body.split(/^(?=\*\*\* (?:Add|Update|Delete) File: )/m)) {
    const [, kind, path = ""] = /^\*\*\* (Add|Update|Delete) File: (.+)/.exec(part) ?? [];
    if (kind === undefined) continue;
    const name = absolutePath(path.trim(), cwd);
    const lines = part.replace(/\n$/, "").split("\n").slice(1);
    if (kind === "Add") {
      files.before(name, null);
      files.after(
        name,
        lines
          .filter((line) => line.startsWith("+"))
          .map((line) => `${line.slice(1)}\n`)
          .join(""),
      );
    } else if (kind === "Delete") files.after(name, null);
    else {
      const to = /^\*\*\* Move to: (.+)/.exec(lines[0] ?? "")?.[1]?.trim();
      const chunks = chunksOf(to === undefined ? lines : lines.slice(1));
      moved(files, { from: name, to, cwd, now: patched(files.textOf(name), chunks) });
    }
  }
}

/** Returns the file that a call showed in full, if it did nothing else. */
export function shownBy(tool: string, parameters: JsonObject, cwd: string | undefined): string | undefined {
  const use = toolUse(tool, parameters, "codex");
  if (use?.action !== "command") return undefined;
  const { command, folder } = use;
  const base = folder === undefined ? cwd : absolutePath(folder, cwd);
  if (Array.isArray(command) && command[0] === "cat" && command.length === 2)
    return (command[1] ?? "-").startsWith("-") ? undefined : absolutePath(command[1] as string, base);
  const script = Array.isArray(command)
    ? /^-\w*c$/.test(command[1] ?? "")
      ? command[2]
      : undefined
    : command;
  const [, single, double, bare] =
    /^\s*cat\s+(?:--\s+)?(?:'([^']+)'|"([^"$`\\]+)"|([^\s'"\\$`*?[\]{}();&|<>~#!-][^\s'"\\$`*?[\]{}();&|<>~#!]*))\s*$/.exec(
      script ?? "",
    ) ?? [];
  const path = single ?? double ?? bare;
  return path === undefined || path.startsWith("-") ? undefined : absolutePath(path, base);
}

/** Resolves a path against the folder of the call. */
function absolutePath(path: string, cwd: string | undefined): string {
  const plain = path.replaceAll("\\", "/");
  if (cwd === undefined || /^(?:\/|[A-Za-z]:)/.test(plain)) return path;
  return posix.join(cwd.replaceAll("\\", "/"), plain);
}

function changeKind(change: JsonValue): [string | undefined, JsonValue | undefined] {
  const type = textAt(change, "type") ?? textAt(change, "kind");
  if (type !== undefined) return [type, change];
  const [first] = isObject(change) ? Object.entries(change) : [];
  return first ?? [undefined, undefined];
}

function moved(
  files: FileStates,
  change: { from: string; to: string | undefined; cwd: string | undefined; now: string | undefined },
): void {
  const { from, to, cwd, now } = change;
  if (to === undefined) {
    files.after(from, now);
    return;
  }
  files.after(from, null);
  files.after(absolutePath(to, cwd), now);
}

/** Lines that must be present, and their replacement. */
interface PatchChunk {
  /** The index of the first line; undefined when the patch only shows the lines. */
  at?: number;
  /** A line that occurs somewhere before them. */
  behind?: string;
  old: string[];
  new: string[];
  /** Whether the last line has no line end, where the patch says so. */
  oldUnended: boolean;
  newUnended: boolean;
}

function emptyChunk(base: { at?: number; behind?: string }): PatchChunk {
  return { ...base, old: [], new: [], oldUnended: false, newUnended: false };
}

function hunksOf(diff: string): PatchChunk[] {
  const chunks: PatchChunk[] = [];
  let last = "";
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(line);
    const chunk = chunks.at(-1);
    if (header !== null) chunks.push(emptyChunk({ at: Number(header[1]) - (header[2] === "0" ? 0 : 1) }));
    else if (chunk !== undefined && line.startsWith("\\")) {
      if (last !== "+") chunk.oldUnended = true;
      if (last !== "-") chunk.newUnended = true;
    } else if (chunk !== undefined) add(chunk, line);
    last = line[0] ?? " ";
  }
  return chunks;
}

function chunksOf(lines: readonly string[]): PatchChunk[] {
  const chunks: PatchChunk[] = [];
  for (const line of lines) {
    if (line.startsWith("@@")) {
      const behind = line.slice(2).trim();
      chunks.push(emptyChunk(behind === "" ? {} : { behind: line.slice(2).replace(/^ /, "") }));
    } else if (!line.startsWith("*** ")) {
      if (chunks.length === 0) chunks.push(emptyChunk({}));
      add(chunks.at(-1) as PatchChunk, line);
    }
  }
  return chunks;
}

function add(chunk: PatchChunk, line: string): void {
  const sign = line[0] ?? " ";
  if (sign !== "+") chunk.old.push(line.slice(1));
  if (sign !== "-") chunk.new.push(line.slice(1));
}

/** Returns the text after a change; undefined where it is not known for sure. */
function patched(text: string | undefined, chunks: readonly PatchChunk[]): string | undefined {
  if (text === undefined || text.includes("\r") || chunks.length === 0) return undefined;
  const isEnded = text === "" || text.endsWith("\n");
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const result: string[] = [];
  let from = 0;
  let endsUnended = !isEnded;
  for (const chunk of chunks) {
    const at = positionOf(lines, chunk, from);
    if (at === undefined) return undefined;
    for (const line of lines.slice(from, at)) result.push(line);
    for (const line of chunk.new) result.push(line);
    from = at + chunk.old.length;
    // A patch that only shows lines always ends the last one; a diff says when it does not.
    if (from === lines.length) endsUnended = chunk.newUnended;
    else if (chunk.at === undefined) endsUnended = false;
  }
  for (const line of lines.slice(from)) result.push(line);
  return result.length === 0 ? "" : `${result.join("\n")}${endsUnended ? "" : "\n"}`;
}

function positionOf(lines: readonly string[], chunk: PatchChunk, from: number): number | undefined {
  const fits = (at: number) => at >= from && chunk.old.every((line, index) => lines[at + index] === line);
  if (chunk.at !== undefined) return fits(chunk.at) && chunk.at <= lines.length ? chunk.at : undefined;
  const start = chunk.behind === undefined ? from : lines.indexOf(chunk.behind, from) + 1;
  if (chunk.behind !== undefined && start === 0) return undefined;
  // Where no lines are shown, Codex appends.
  if (chunk.old.length === 0) return lines.length;
  for (let at = start; at <= lines.length - chunk.old.length; at++) if (fits(at)) return at;
  return undefined;
}
