// Builds a unified diff of two texts within a stated budget. Swapping the texts mirrors the diff, and nothing
// that varies with time is used.
import { diffArrays } from "diff";
import { counterparts, cutAround } from "../base/cut.js";
import { appendAll } from "../base/lists.js";

export interface TextDiff {
  /** Hunks in the unified format. */
  diff: string;
  lines_added: number;
  lines_removed: number;
  /** What was left out because of a limit. */
  reason?: string;
}

/** Maximum number of edits searched for; past that the differing middle is shown as one block. */
export const maxEdits = 1000;
const maxComparisons = 20_000_000;
/** Maximum number of lines of a diff, and of characters per line. */
export const maxLines = 400;
export const maxLine = 500;

type DiffSign = " " | "-" | "+";
interface DiffLine {
  sign: DiffSign;
  text: string;
}

/** Returns how text `a` became text `b`, with `context` unchanged lines around each change. */
export function textDiff(a: string, b: string, context: number): TextDiff {
  const reasons = new Set<string>();
  const lines = compare(linesOf(a), linesOf(b), reasons);
  const hunks = hunksOf(lines, context);
  const all = hunks.flatMap(({ header, body }) => [
    header,
    ...body.flatMap(({ sign, text }) =>
      text.endsWith("\n") ? [sign + text.slice(0, -1)] : [sign + text, "\\ No newline at end of file"],
    ),
  ]);
  if (all.length > maxLines) reasons.add(`cut after ${maxLines} lines`);
  const others = counterparts(all);
  const shown = all.slice(0, maxLines).map((line, at) => {
    if (line.length <= maxLine + 1) return line;
    reasons.add(`lines cut to ${maxLine} characters`);
    return line.slice(0, 1) + cutAround(line.slice(1), others[at], maxLine);
  });
  return {
    diff: shown.map((line) => `${line}\n`).join(""),
    lines_added: lines.filter(({ sign }) => sign === "+").length,
    lines_removed: lines.filter(({ sign }) => sign === "-").length,
    ...(reasons.size > 0 ? { reason: [...reasons].join("; ") } : {}),
  };
}

/** Splits a text into lines that keep their line feeds; the last one may have none. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = lines.pop() as string;
  if (last !== "\n") lines.push(last.slice(0, -1));
  return lines;
}

/** Returns all lines of both, in order; where lines were replaced, the old ones come first. */
function compare(a: string[], b: string[], reasons: Set<string>): DiffLine[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const [midA, midB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const middle = diffMiddle(midA, midB);
  if (middle === undefined)
    reasons.add(`too many changed lines (over ${maxEdits}, fewer in very long texts), shown as one block`);
  return [
    ...a.slice(0, start).map(toLine(" ")),
    ...(middle ?? [...midA.map(toLine("-")), ...midB.map(toLine("+"))]),
    ...a.slice(a.length - end).map(toLine(" ")),
  ];
}

function toLine(sign: DiffSign): (text: string) => DiffLine {
  return (text) => ({ sign, text });
}

function diffMiddle(a: string[], b: string[]): DiffLine[] | undefined {
  if (a.length === 0) return b.map((text) => ({ sign: "+", text }));
  if (b.length === 0) return a.map((text) => ({ sign: "-", text }));
  // Always in the same direction, so that the other one is the mirror.
  const flipped = a.join("") > b.join("");
  // Each edit may examine every line, so texts with very many lines get fewer edits.
  const maxEditLength = Math.min(maxEdits, Math.floor(maxComparisons / (a.length + b.length)));
  const changes = flipped ? diffArrays(b, a, { maxEditLength }) : diffArrays(a, b, { maxEditLength });
  if (changes === undefined) return undefined;
  const lines: DiffLine[] = [];
  let added: DiffLine[] = [];
  for (const change of changes) {
    const isNew = flipped ? change.removed : change.added;
    const isOld = flipped ? change.added : change.removed;
    if (isNew) {
      for (const text of change.value) added.push({ sign: "+", text });
    } else if (isOld) {
      for (const text of change.value) lines.push({ sign: "-", text });
    } else {
      appendAll(lines, added);
      for (const text of change.value) lines.push({ sign: " ", text });
      added = [];
    }
  }
  return [...lines, ...added];
}

interface DiffHunk {
  header: string;
  body: DiffLine[];
}

function hunksOf(lines: readonly DiffLine[], context: number): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  // Lines passed so far in either text, up to `at`.
  let [oldLine, newLine] = [1, 1];
  let at = 0;
  const pass = (line: DiffLine): void => {
    if (line.sign !== "+") oldLine++;
    if (line.sign !== "-") newLine++;
  };
  while (at < lines.length) {
    let first = at;
    while (first < lines.length && lines[first]?.sign === " ") first++;
    if (first === lines.length) break;
    const start = Math.max(at, first - context);
    let end = first;
    // A change no further away than twice the context belongs to the same hunk.
    for (let next = first; next < lines.length && next - end <= 2 * context; next++)
      if (lines[next]?.sign !== " ") end = next + 1;
    const stop = Math.min(lines.length, end + context);
    while (at < start) pass(lines[at++] as DiffLine);
    const body = lines.slice(start, stop);
    const oldCount = body.filter(({ sign }) => sign !== "+").length;
    const newCount = body.filter(({ sign }) => sign !== "-").length;
    hunks.push({ header: `@@ -${rangeOf(oldLine, oldCount)} +${rangeOf(newLine, newCount)} @@`, body });
    while (at < stop) pass(lines[at++] as DiffLine);
  }
  return hunks;
}

function rangeOf(line: number, count: number): string {
  if (count === 1) return `${line}`;
  return `${count === 0 ? line - 1 : line},${count}`;
}
