// Matches of rules in a text, and how overlapping ones are merged.
import { placeholders } from "../model/redactions.js";

export interface Match {
  rule: string;
  /** The ranges to replace: several where the secret contains line ends. */
  pieces: { from: number; to: number }[];
  secret: string;
  /** Where the context that identified the secret begins, if that is before the secret. */
  begin?: number;
  /** Redact only here: elsewhere the same text may be a name. */
  isWeak?: boolean;
  /** The first line is a whole token; it was joined with the lines below, in which it seems to continue. */
  isLengthened?: boolean;
}

/**
 * Cuts matches that were joined with the lines below, where another match begins in such a line: that line
 * belongs to the other one.
 */
export function withoutNext<T extends Match>(found: readonly T[], text: string): readonly T[] {
  if (!found.some(({ isLengthened }) => isLengthened)) return found;
  const begins = new Set(found.map(beginOf));
  return found.map((one) => {
    const next = one.pieces.findIndex(({ from }, at) => at > 0 && begins.has(from));
    if (one.isLengthened !== true || next === -1) return one;
    const pieces = one.pieces.slice(0, next);
    return { ...one, pieces, secret: pieces.map(({ from, to }) => text.slice(from, to)).join("") };
  });
}

/** Drops matches that overlap an existing placeholder. */
export function outsideMarks<T extends Match>(found: readonly T[], text: string): readonly T[] {
  if (found.length === 0 || !text.includes("[REDACTED:")) return found;
  const marks = [...text.matchAll(placeholders)];
  return found.filter((one) => !isAcross(marks, one));
}

/** Returns whether a match overlaps one of these placeholders, which are in order. */
function isAcross(marks: readonly RegExpExecArray[], one: Match): boolean {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((marks[middle] as RegExpExecArray).index < endOf(one)) low = middle + 1;
    else high = middle;
  }
  const last = marks[low - 1];
  return last !== undefined && last.index + last[0].length > startOf(one);
}

/**
 * Merges overlapping matches, and returns them from left to right. A merged match covers everything that any
 * of them covers, under the rule that comes first in the list: of two readings of a text, neither may leave a
 * part of what the other would redact.
 */
export function united(text: string, found: readonly Match[]): Match[] {
  if (found.length === 0) return [];
  const order = new Map(found.map((one, index) => [one, index]));
  const groups: Match[][] = [];
  let end = -1;
  for (const one of found.toSorted((a, b) => startOf(a) - startOf(b))) {
    if (startOf(one) >= end) groups.push([]);
    groups.at(-1)?.push(one);
    end = Math.max(end, endOf(one));
  }
  return groups.map((group) => {
    const first = group.reduce((a, b) => ((order.get(a) ?? 0) <= (order.get(b) ?? 0) ? a : b));
    const [one = first, ...others] = group;
    if (others.every((other) => isWithin(other, first)) && isWithin(one, first)) return plain(first);
    const pieces = covered(group.flatMap(({ pieces: some }) => some));
    const secret = pieces.map(({ from, to }) => text.slice(from, to)).join("");
    return {
      rule: first.rule,
      pieces,
      secret,
      begin: group.reduce((lowest, one) => Math.min(lowest, beginOf(one)), Infinity),
    };
  });
}

function plain({ rule, pieces, secret, begin, isWeak }: Match): Match {
  return {
    rule,
    pieces,
    secret,
    ...(begin === undefined ? {} : { begin }),
    ...(isWeak === true ? { isWeak } : {}),
  };
}

/** Returns whether every piece of one match lies in a piece of the other. */
function isWithin(one: Match, other: Match): boolean {
  return one.pieces.every(({ from, to }) =>
    other.pieces.some((piece) => piece.from <= from && piece.to >= to),
  );
}

/** Merges overlapping ranges. */
function covered(pieces: readonly { from: number; to: number }[]): Match["pieces"] {
  const merged: Match["pieces"] = [];
  for (const { from, to } of pieces.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

export function startOf({ pieces }: Match): number {
  return (pieces[0] as { from: number }).from;
}

export function endOf({ pieces }: Match): number {
  return (pieces.at(-1) as { to: number }).to;
}

/** Returns where a match begins, including the context that identified it. */
export function beginOf(found: Match): number {
  return Math.min(found.begin ?? Infinity, startOf(found));
}
