// A unified diff of two texts, the same for the same two texts in either order but mirrored, and never at more cost than a
// stated budget. What would vary with time is not used.
import { diffArrays } from "diff";

export interface TextDiff {
  /** Hunks in the unified format. */
  diff: string;
  lines_added: number;
  lines_removed: number;
  /** What a limit left out. */
  reason?: string;
}

/** Changed lines that are looked for one by one; past that the differing middle is shown as one block. */
export const mostEdits = 1000;
/** Lines of a diff that are given, and characters of each. */
export const mostLines = 400;
export const longestLine = 500;

type Kind = " " | "-" | "+";
interface Line {
  kind: Kind;
  text: string;
}

/** How text `a` became text `b`, with so many unchanged lines around each change. */
export function textDiff(a: string, b: string, context: number): TextDiff {
  const reasons = new Set<string>();
  const lines = compare(linesOf(a), linesOf(b), reasons);
  const hunks = hunksOf(lines, context);
  const shown: string[] = [];
  for (const { header, body } of hunks) {
    if (shown.length >= mostLines) {
      reasons.add(`cut after ${mostLines} lines`);
      break;
    }
    shown.push(header);
    for (const line of body) {
      if (shown.length >= mostLines) {
        reasons.add(`cut after ${mostLines} lines`);
        break;
      }
      const text = line.text.endsWith("\n") ? line.text.slice(0, -1) : line.text;
      if (text.length > longestLine) reasons.add(`lines cut after ${longestLine} characters`);
      shown.push(line.kind + (text.length > longestLine ? `${cutAt(text, longestLine)}…` : text));
      if (!line.text.endsWith("\n")) shown.push("\\ No newline at end of file");
    }
  }
  return {
    diff: shown.map((line) => `${line}\n`).join(""),
    lines_added: lines.filter(({ kind }) => kind === "+").length,
    lines_removed: lines.filter(({ kind }) => kind === "-").length,
    ...(reasons.size > 0 ? { reason: [...reasons].join("; ") } : {}),
  };
}

/** The first characters of a text, without half of one at the end. */
function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Lines with their line feeds; the last one may have none. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = lines.pop() as string;
  if (last !== "\n") lines.push(last.slice(0, -1));
  return lines;
}

/** All lines of both, in order; of those that were exchanged the old ones come first. */
function compare(a: string[], b: string[], reasons: Set<string>): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const [midA, midB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const middle = middleOf(midA, midB);
  if (middle === undefined) reasons.add(`more than ${mostEdits} changed lines, shown as one block`);
  return [
    ...a.slice(0, start).map(plain(" ")),
    ...(middle ?? [...midA.map(plain("-")), ...midB.map(plain("+"))]),
    ...a.slice(a.length - end).map(plain(" ")),
  ];
}

function plain(kind: Kind): (text: string) => Line {
  return (text) => ({ kind, text });
}

function middleOf(a: string[], b: string[]): Line[] | undefined {
  if (a.length === 0) return b.map((text) => ({ kind: "+", text }));
  if (b.length === 0) return a.map((text) => ({ kind: "-", text }));
  // Always in the same direction, so that the other one is the mirror.
  const flipped = a.join("") > b.join("");
  const changes = flipped
    ? diffArrays(b, a, { maxEditLength: mostEdits })
    : diffArrays(a, b, { maxEditLength: mostEdits });
  if (changes === undefined) return undefined;
  const lines: Line[] = [];
  let added: Line[] = [];
  for (const change of changes) {
    const isNew = flipped ? change.removed : change.added;
    const isOld = flipped ? change.added : change.removed;
    if (isNew) {
      added.push(...change.value.map((text): Line => ({ kind: "+", text })));
    } else if (isOld) {
      lines.push(...change.value.map((text): Line => ({ kind: "-", text })));
    } else {
      lines.push(...added, ...change.value.map((text): Line => ({ kind: " ", text })));
      added = [];
    }
  }
  return [...lines, ...added];
}

interface Hunk {
  header: string;
  body: Line[];
}

function hunksOf(lines: readonly Line[], context: number): Hunk[] {
  const hunks: Hunk[] = [];
  // Lines passed so far in either text, up to `at`.
  let [oldLine, newLine] = [1, 1];
  let at = 0;
  const pass = (line: Line): void => {
    if (line.kind !== "+") oldLine++;
    if (line.kind !== "-") newLine++;
  };
  while (at < lines.length) {
    let first = at;
    while (first < lines.length && lines[first]?.kind === " ") first++;
    if (first === lines.length) break;
    const start = Math.max(at, first - context);
    let end = first;
    // A change that is no further away than twice the context belongs to the same hunk.
    for (let next = first; next < lines.length && next - end <= 2 * context; next++)
      if (lines[next]?.kind !== " ") end = next + 1;
    const stop = Math.min(lines.length, end + context);
    while (at < start) pass(lines[at++] as Line);
    const body = lines.slice(start, stop);
    const old = body.filter(({ kind }) => kind !== "+").length;
    const fresh = body.filter(({ kind }) => kind !== "-").length;
    hunks.push({ header: `@@ -${rangeOf(oldLine, old)} +${rangeOf(newLine, fresh)} @@`, body });
    while (at < stop) pass(lines[at++] as Line);
  }
  return hunks;
}

function rangeOf(line: number, count: number): string {
  if (count === 1) return `${line}`;
  return `${count === 0 ? line - 1 : line},${count}`;
}
