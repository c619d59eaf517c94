// Edits a file's text by words or by lines, as tools request it. Works on bytes: what is not UTF-8, and line
// ends of any kind, stay as they are outside the changed part.
import { StepFailure } from "./outcome.js";
import { NotApplied } from "./outcome.js";
import { maxBytes } from "./workspace.js";

const maxMatches = 5_000_000;

/** Replaces texts one after the other. Each must occur exactly once, unless all occurrences are meant. */
export function replaceTexts(
  content: Buffer,
  edits: { old: string; new: string; all: boolean }[],
  path: string,
): Buffer {
  let result = content;
  for (const edit of edits) result = replaceText(result, edit, path);
  return result;
}

function replaceText(
  content: Buffer,
  edit: { old: string; new: string; all: boolean },
  path: string,
): Buffer {
  const old = Buffer.from(edit.old);
  const replacement = Buffer.from(edit.new);
  if (old.length === 0) {
    if (content.length === 0) return replacement;
    throw new NotApplied(`${path} is not empty, and the text to be replaced is`);
  }
  const positions: number[] = [];
  for (let at = content.indexOf(old); at !== -1; at = content.indexOf(old, at + old.length)) {
    if (positions.push(at) > maxMatches)
      throw new StepFailure("error", `the text to be replaced is too often in ${path}`, { untried: true });
    if (!edit.all && positions.length > 1)
      throw new NotApplied(`the text to be replaced is more than once in ${path}`, "several_matches");
  }
  if (positions.length === 0) throw new NotApplied(`the text to be replaced is not in ${path}`, "no_match");
  const size = content.length + positions.length * (replacement.length - old.length);
  if (size > maxBytes) throw new StepFailure("error", `${path} would become too large`, { untried: true });
  const result = Buffer.alloc(size);
  let from = 0;
  let to = 0;
  for (const at of positions) {
    to += content.copy(result, to, from, at);
    to += replacement.copy(result, to);
    from = at + old.length;
  }
  content.copy(result, to, from);
  return result;
}

/** Inserts text after that many lines, as lines of its own. */
export function insertLines(
  content: Buffer,
  insertion: { after: number; text: string },
  path: string,
): Buffer {
  const { after, text } = insertion;
  const at = Number.isSafeInteger(after) && after >= 0 ? startOfLine(content, after) : undefined;
  if (at === undefined) throw new NotApplied(`${path} does not have ${after} lines`);
  const before = content.subarray(0, at);
  const rest = content.subarray(at);
  const isBroken = before.length > 0 && before.at(-1) !== 10;
  const needsEnd = text !== "" && !text.endsWith("\n") && !(isBroken && rest.length === 0);
  return Buffer.concat([before, Buffer.from(`${isBroken ? "\n" : ""}${text}${needsEnd ? "\n" : ""}`), rest]);
}

/** Replaces lines, counted from 1; the last one may be the line before the first: then nothing is removed. */
export function replaceLines(
  content: Buffer,
  { from, to, content: text }: { from: number; to: number; content: string },
  path: string,
): Buffer {
  const start = from >= 1 ? startOfLine(content, from - 1) : undefined;
  const end = to >= from - 1 ? startOfLine(content, to) : undefined;
  if (start === undefined || end === undefined) throw new NotApplied(`${path} has no lines ${from} to ${to}`);
  const needsEnd = text !== "" && !text.endsWith("\n");
  return Buffer.concat([
    content.subarray(0, start),
    Buffer.from(`${text}${needsEnd ? "\n" : ""}`),
    content.subarray(end),
  ]);
}

/**
 * Returns lines verbatim, with their ends: from the first requested one, counted from 1, to the end or a
 * number of lines.
 */
export function takeLines(content: Buffer, wanted: { from?: number; lines?: number }): Buffer {
  const from = Math.max(0, (wanted.from ?? 1) - 1);
  const start = startOfLine(content, from) ?? content.length;
  if (wanted.lines === undefined) return content.subarray(start);
  const rest = content.subarray(start);
  return rest.subarray(0, startOfLine(rest, Math.max(0, wanted.lines)) ?? rest.length);
}

/**
 * Returns where the line begins that has this many before it; the end of the file counts. Undefined if there
 * are fewer.
 */
function startOfLine(content: Buffer, before: number): number | undefined {
  let at = 0;
  for (let line = 0; line < before; line++) {
    if (at >= content.length) return undefined;
    const feed = content.indexOf(10, at);
    at = feed === -1 ? content.length : feed + 1;
  }
  return at;
}
