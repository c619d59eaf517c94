// Records that the agent's program cut: what is left of them must be the beginning and the end of what is
// printed now, except for the lines that the cut broke.
import type { ComparingRule } from "./rule.js";
import { sortedLines } from "./lines.js";

/**
 * Marks in place of what was cut, as the agents' programs write them. Bytes, not characters: outputs are
 * compared in latin1, in which `…` is three.
 */
const mark =
  /(?:\u00e2\u0080\u00a6|\u2026)\s?\d[\d,]* (?:tokens|chars|characters|bytes|lines) truncated\s?(?:\u00e2\u0080\u00a6|\u2026)|\[\.\.\. (?:omitted \d+ of \d+ lines|output truncated to fit \d+ bytes) \.\.\.\]|\.\.\. \[\d+ \w+ truncated\] \.\.\.|\[\d+ (?:lines|characters) truncated\]|\[\.\.\. Observation truncated due to length \.\.\.\]/;

/** Lengths at which programs cut without a mark. */
const limits: ReadonlySet<number> = new Set([30_000, 40_000]);

/** Less than that is no record of an output. */
const minText = 200;

export interface CutOptions {
  /** Whether the log says that the record was cut. */
  isMarked: boolean;
  /** Whether the order of the lines means nothing. */
  isUnordered: boolean;
}

/** Returns the rule for records that may have been cut. */
export function cutRule(options: CutOptions): ComparingRule {
  return {
    name: "cut",
    compared: "normalised",
    isEqual: ({ recorded, now }) => isCutOf(recorded, now, options),
  };
}

function isCutOf(recorded: string, now: string, { isMarked, isUnordered }: CutOptions): boolean {
  const parts = partsOf(recorded, isMarked);
  if (parts === undefined) return false;
  const { head, tail } = parts;
  if (head.length + tail.length < minText || head.length + tail.length >= now.length) return false;
  if (isUnordered) return isPartOf(`${head}\n${tail}`, now);
  return now.startsWith(head) && now.trimEnd().endsWith(tail);
}

/** Returns the whole lines before and after the cut; undefined if the record has none. */
function partsOf(recorded: string, isMarked: boolean): { head: string; tail: string } | undefined {
  const found = isMarked ? mark.exec(recorded) : null;
  if (found !== null) {
    const after = recorded.slice(found.index + found[0].length);
    const lineEnd = after.indexOf("\n");
    return {
      head: wholeLines(recorded.slice(0, found.index)),
      tail: lineEnd === -1 ? "" : after.slice(lineEnd + 1).trimEnd(),
    };
  }
  const { length } = Buffer.from(recorded, "latin1").toString("utf8");
  return limits.has(length) ? { head: wholeLines(recorded), tail: "" } : undefined;
}

/** Returns a text without its last line, which the cut may have broken. */
function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

/** Returns whether each line of a text occurs in another one, at least as often. */
function isPartOf(text: string, whole: string): boolean {
  const left = new Map<string, number>();
  for (const line of sortedLines(whole)) left.set(line, (left.get(line) ?? 0) + 1);
  return sortedLines(text).every((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  });
}
