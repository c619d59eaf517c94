// Applies a unified diff to files: every hunk at its line or, if the file has shifted, at the nearest
// position that has all of its old lines. No context line is ever ignored.
import { NotApplied } from "./outcome.js";
import { joinLines, type FileLine, limitedWork, splitLines, usualEnd } from "./patch-lines.js";
import { type FilePatch, type PatchHunk, readUnified } from "./patch-unified.js";
import type { PatchTransaction } from "./patch-transaction.js";
import type { Workspace } from "./workspace.js";

/** Applies the diff to the staged files. */
export function patchUnified(
  workspace: Workspace,
  transaction: PatchTransaction,
  options: { text: string; path?: string; folder?: string },
): void {
  for (const patch of readUnified(options.text, options.path)) {
    const from = patch.from === undefined ? undefined : workspace.locate(patch.from, options.folder);
    const to = patch.to === undefined ? undefined : workspace.locate(patch.to, options.folder);
    applyOne(workspace, transaction, { patch, from, to });
  }
}

function applyOne(
  workspace: Workspace,
  transaction: PatchTransaction,
  change: { patch: FilePatch; from: string | undefined; to: string | undefined },
): void {
  const { patch, from, to } = change;
  const mode = patch.mode === undefined ? {} : { mode: patch.mode };
  if (from === undefined && to === undefined) throw new NotApplied("the diff names no file");
  if (from === undefined) {
    const path = to as string;
    if (transaction.has(path)) throw new NotApplied(`${path} is to be made, but is there already`);
    transaction.write(path, applyHunks(Buffer.alloc(0), patch.hunks, path), mode);
  } else if (to === undefined) {
    if (applyHunks(transaction.read(from), patch.hunks, from).length > 0 && patch.hunks.length > 0)
      throw new NotApplied(`${from} has more lines than those that are to be removed with it`);
    transaction.remove(from);
  } else if (patch.isRename || patch.isCopy) {
    if (to !== from && transaction.has(to)) throw new NotApplied(`${to} is to be made, but is there already`);
    const bytes = applyHunks(transaction.read(from), patch.hunks, from);
    const old = workspace.stat(from)?.mode;
    if (patch.isRename && to !== from) transaction.remove(from);
    transaction.write(to, bytes, old === undefined ? mode : { mode: old, ...mode });
  } else {
    // Two names without a rename are one file: diff was called with a copy of it.
    const path = to !== from && !transaction.has(to) && transaction.has(from) ? from : to;
    transaction.write(path, applyHunks(transaction.read(path), patch.hunks, path), mode);
  }
}

function applyHunks(content: Buffer, hunks: PatchHunk[], path: string): Buffer {
  const lines = splitLines(content);
  const work = limitedWork();
  const pieces: FileLine[][] = [];
  let consumed = 0;
  let shift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const old = hunk.lines.filter((line) => line.sign !== "+");
    const expected = hunk.start === undefined ? consumed : hunk.start - 1 + shift;
    const isAtEnd = old.at(-1)?.isUnended === true;
    const search = { consumed, expected, work, isAtEnd, old: old.map((line) => line.text) };
    const at = find(lines, search, isExact) ?? find(lines, search, isSame);
    if (at === undefined) throw new NotApplied(`hunk ${index + 1} of the diff does not fit ${path}`);
    if (hunk.start !== undefined) shift = at - (hunk.start - 1);
    pieces.push(lines.slice(consumed, at), newLines(hunk, lines, at));
    consumed = at + old.length;
  }
  return joinLines([...pieces, lines.slice(consumed)].flat());
}

interface HunkSearch {
  /** Number of lines before it that are already consumed. */
  consumed: number;
  expected: number;
  old: string[];
  isAtEnd: boolean;
  work: () => void;
}

/** Returns the nearest position that has the old lines. */
function find(
  lines: FileLine[],
  search: HunkSearch,
  fits: (line: FileLine, text: string) => boolean,
): number | undefined {
  const last = lines.length - search.old.length;
  const expected = Math.min(Math.max(search.expected, search.consumed), Math.max(last, search.consumed));
  if (search.old.length === 0) return expected <= lines.length ? expected : undefined;
  for (let distance = 0; distance <= lines.length; distance++) {
    for (const at of distance === 0 ? [expected] : [expected + distance, expected - distance]) {
      const isPossible = at >= search.consumed && at <= last && (!search.isAtEnd || at === last);
      if (isPossible && fitAll(lines, at, { ...search, fits })) return at;
    }
    search.work();
  }
  return undefined;
}

function fitAll(
  lines: FileLine[],
  at: number,
  search: HunkSearch & { fits: (line: FileLine, text: string) => boolean },
): boolean {
  return search.old.every((text, index) => {
    search.work();
    return search.fits(lines[at + index] as FileLine, text);
  });
}

/** Compares a line with its carriage return, which a diff shows as part of the line. */
function isExact(line: FileLine, text: string): boolean {
  return (line.end === "\r\n" ? `${line.text}\r` : line.text) === text;
}

/** Compares a line without its carriage return, which a diff may have lost on the way. */
function isSame(line: FileLine, text: string): boolean {
  return line.text === text || isExact(line, text);
}

/** Returns the new lines of a hunk; those that stay are the file's own. */
function newLines(hunk: PatchHunk, lines: FileLine[], from: number): FileLine[] {
  const result: FileLine[] = [];
  const old = hunk.lines.filter((line) => line.sign !== "+");
  // If the old lines have lost their carriage returns, so have the new ones.
  const isLost = old.some((line, index) => !isExact(lines[from + index] as FileLine, line.text));
  const end = isLost ? usualEnd(lines) : "\n";
  let at = from;
  for (const line of hunk.lines) {
    const own = lines[at];
    if (line.sign !== "+") at++;
    if (line.sign === " " && own !== undefined) result.push(own);
    else if (line.sign === "+") result.push({ text: line.text, end: line.isUnended ? "" : end });
  }
  return result;
}
