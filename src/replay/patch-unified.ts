// Parses unified diffs as diff, git and models write them into changes per file. Models miscount and leave
// numbers out, so a hunk's counts are used only where its end is in doubt.
import { StepFailure } from "./outcome.js";
import { NotApplied } from "./outcome.js";
import { patchLines } from "./patch-lines.js";
import { toText } from "./dir-cursor.js";

export interface HunkLine {
  sign: " " | "-" | "+";
  text: string;
  /** Whether the line ends without a line feed. */
  isUnended: boolean;
}

export interface PatchHunk {
  /** The first line in the old file, from 1; undefined if the diff has none. */
  start: number | undefined;
  lines: HunkLine[];
}

export interface FilePatch {
  /** Undefined: the file is new. */
  from?: string;
  /** Undefined: the file is removed. */
  to?: string;
  isRename: boolean;
  isCopy: boolean;
  mode?: number;
  hunks: PatchHunk[];
}

/** Parses a diff. `path` is for a diff that names no file. */
export function readUnified(text: string, path?: string): FilePatch[] {
  const lines = withoutReturns(patchLines(text));
  const patches: FilePatch[] = [];
  let isInGitHeader = false;
  let at = 0;

  function begin(names: { from?: string; to?: string } = {}): FilePatch {
    const patch = { ...names, isRename: false, isCopy: false, hunks: [] };
    patches.push(patch);
    return patch;
  }

  while (at < lines.length) {
    const line = lines[at] as string;
    const current = patches.at(-1);
    if (line.startsWith("diff --git ")) {
      nameByGit(begin(), line.slice("diff --git ".length));
      isInGitHeader = true;
      at++;
    } else if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true) {
      const patch = isInGitHeader && current !== undefined ? current : begin();
      nameByHeaders(patch, line, lines[at + 1] as string);
      isInGitHeader = false;
      at += 2;
    } else if (line.startsWith("@@")) {
      if (current === undefined && path === undefined)
        throw new NotApplied("the diff does not say which file it is for");
      isInGitHeader = false;
      at = readHunk(lines, at, current ?? begin(path === undefined ? {} : { from: path, to: path }));
    } else {
      if (isInGitHeader && current !== undefined) extendedHeader(current, line);
      at++;
    }
  }
  if (patches.length === 0) throw new NotApplied("there is no diff in it");
  return patches;
}

/** Removes carriage returns if the diff's own headers end with one: then all were added on the way. */
function withoutReturns(lines: string[]): string[] {
  const header = lines.find((line) => line.startsWith("@@") || line.startsWith("--- "));
  return header?.endsWith("\r") === true ? lines.map((line) => line.replace(/\r$/, "")) : lines;
}

function nameByGit(patch: FilePatch, rest: string): void {
  // Both names are the same here unless `rename` lines say otherwise, so the middle divides them.
  const words = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(rest.trimEnd());
  const half = (rest.trimEnd().length - 1) / 2;
  const [old, now] = words === null ? [rest.slice(0, half), rest.slice(half + 1)] : [words[1], words[2]];
  nameBoth(patch, nameIn(old as string), nameIn(now as string));
}

function nameByHeaders(patch: FilePatch, old: string, now: string): void {
  if (patch.isRename || patch.isCopy) return;
  nameBoth(patch, nameIn(old.slice(4)), nameIn(now.slice(4)));
}

/** Sets both names, without the `a/` and `b/` that git puts in front. */
function nameBoth(patch: FilePatch, old: string, now: string): void {
  const isNew = old === "/dev/null";
  const isGone = now === "/dev/null";
  const isPrefixed = (isNew || old.startsWith("a/")) && (isGone || now.startsWith("b/"));
  delete patch.from;
  delete patch.to;
  if (!isNew) patch.from = isPrefixed ? old.slice(2) : old;
  if (!isGone) patch.to = isPrefixed ? now.slice(2) : now;
}

/** Parses a name in a header: up to the tab before a time, or in quotes with escaped bytes. */
function nameIn(text: string): string {
  const whole = (text.split("\t", 1)[0] as string).replace(/\r$/, "");
  if (!(whole.startsWith('"') && whole.endsWith('"') && whole.length > 1)) return toText(whole);
  const bytes = whole
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 255) : (escapes[code] ?? code),
    );
  return toText(bytes);
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

function extendedHeader(patch: FilePatch, line: string): void {
  const [, words, value] =
    /^(rename from|rename to|copy from|copy to|new file mode|new mode|deleted file mode) (.+)$/.exec(line) ??
    [];
  if (line.startsWith("GIT binary patch") || /^Binary files .* differ$/.test(line))
    throw new StepFailure("error", "the diff has binary content in it, which is not supported", {
      untried: true,
    });
  if (words === undefined || value === undefined) return;
  if (words.startsWith("rename")) patch.isRename = true;
  if (words.startsWith("copy")) patch.isCopy = true;
  if (words.endsWith(" from")) patch.from = nameIn(value);
  else if (words.endsWith(" to")) patch.to = nameIn(value);
  else if (words === "deleted file mode") delete patch.to;
  else {
    if (words === "new file mode") delete patch.from;
    if (value.trimEnd() === "120000")
      throw new StepFailure("error", "the diff makes a link, which is not supported", { untried: true });
    patch.mode = value.trimEnd().endsWith("755") ? 0o755 : 0o644;
  }
}

/** Parses the hunk whose header is at `from`, and returns the line after it. */
function readHunk(lines: string[], from: number, patch: FilePatch): number {
  const header = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/.exec(lines[from] as string);
  const hunk: PatchHunk = { start: header === null ? undefined : Number(header[1]), lines: [] };
  // An old side without lines comes after the line that it names.
  if (header?.[2] === "0") hunk.start = Number(header[1]) + 1;
  let old = header === null ? 0 : Number(header[2] ?? 1);
  let now = header === null ? 0 : Number(header[3] ?? 1);
  let at = from + 1;
  for (; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.startsWith("\\")) {
      const last = hunk.lines.at(-1);
      if (last !== undefined) last.isUnended = true;
      continue;
    }
    const isCounted = old > 0 || now > 0;
    if (isHeader(lines, at, { old, now })) break;
    const sign = line === "" || line === "\r" ? " " : line[0];
    if (sign !== " " && sign !== "-" && sign !== "+") break;
    // An empty line after a complete hunk is not part of it.
    if (!isCounted && header !== null && line.trim() === "") break;
    if (sign !== "+") old--;
    if (sign !== "-") now--;
    hunk.lines.push({ sign, text: line.slice(line[0] === sign ? 1 : 0), isUnended: false });
  }
  if (header === null) dropEmptyEnd(hunk);
  if (hunk.lines.length === 0) throw new NotApplied(`line ${from + 1} of the diff begins an empty hunk`);
  patch.hunks.push(hunk);
  return at;
}

/**
 * Returns whether the next file begins here. Lines of the hunk can look like its headers, while some are
 * still to come.
 */
function isHeader(lines: string[], at: number, left: { old: number; now: number }): boolean {
  if (lines[at]?.startsWith("--- ") !== true || lines[at + 1]?.startsWith("+++ ") !== true) return false;
  if (left.old <= 0 && left.now <= 0) return true;
  return lines[at + 2]?.startsWith("@@ ") === true && !(left.old === 1 && left.now === 1);
}

function dropEmptyEnd(hunk: PatchHunk): void {
  while (hunk.lines.at(-1)?.text === "" && hunk.lines.at(-1)?.sign === " ") hunk.lines.pop();
}
