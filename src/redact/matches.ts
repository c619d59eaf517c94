// What was found in a text, and how finds that overlap become one.
import { placeholders } from "../model/redactions.js";

export interface Found {
  rule: string;
  /** What is replaced: several pieces where line ends stand within. */
  pieces: { from: number; to: number }[];
  secret: string;
  /** Where that begins by which it was known, if that is before it. */
  begin?: number;
  /** It is masked where it stands and nowhere else: elsewhere the same text may be a name. */
  isWeak?: boolean;
  /** Its first line is a whole token; it was joined with the lines below, where that seems to go on. */
  isLengthened?: boolean;
}

/** Finds that were joined with the lines below end before a line in which another find begins: that line is not theirs. */
export function withoutNext<T extends Found>(found: readonly T[], text: string): readonly T[] {
  if (!found.some(({ isLengthened }) => isLengthened)) return found;
  const begins = new Set(found.map(beginOf));
  return found.map((one) => {
    const next = one.pieces.findIndex(({ from }, at) => at > 0 && begins.has(from));
    if (one.isLengthened !== true || next === -1) return one;
    const pieces = one.pieces.slice(0, next);
    return { ...one, pieces, secret: pieces.map(({ from, to }) => text.slice(from, to)).join("") };
  });
}

/** Without those in which something was masked before: that stays as it is. */
export function outsideMarks<T extends Found>(found: readonly T[], text: string): readonly T[] {
  if (found.length === 0 || !text.includes("[REDACTED:")) return found;
  const marks = [...text.matchAll(placeholders)];
  return found.filter((one) => !isAcross(marks, one));
}

/** Whether a find overlaps one of these marks, which are in order. */
function isAcross(marks: readonly RegExpExecArray[], one: Found): boolean {
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
 * From left to right. What overlaps becomes one find of all that any of them would replace, under the rule that comes first in the list: of
 * two readings of a text neither must leave a part of what the other would mask.
 */
export function united(text: string, found: readonly Found[]): Found[] {
  if (found.length === 0) return [];
  const order = new Map(found.map((one, index) => [one, index]));
  const groups: Found[][] = [];
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
      begin: group.reduce((least, one) => Math.min(least, beginOf(one)), Infinity),
    };
  });
}

function plain({ rule, pieces, secret, begin, isWeak }: Found): Found {
  return {
    rule,
    pieces,
    secret,
    ...(begin === undefined ? {} : { begin }),
    ...(isWeak === true ? { isWeak } : {}),
  };
}

/** Whether all that the one would replace is replaced by the other. */
function isWithin(one: Found, other: Found): boolean {
  return one.pieces.every(({ from, to }) =>
    other.pieces.some((piece) => piece.from <= from && piece.to >= to),
  );
}

/** The same stretches, without overlaps. */
function covered(pieces: readonly { from: number; to: number }[]): Found["pieces"] {
  const merged: Found["pieces"] = [];
  for (const { from, to } of pieces.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

export function startOf({ pieces }: Found): number {
  return (pieces[0] as { from: number }).from;
}

export function endOf({ pieces }: Found): number {
  return (pieces.at(-1) as { to: number }).to;
}

/** Where all that it was known by begins. */
export function beginOf(found: Found): number {
  return Math.min(found.begin ?? Infinity, startOf(found));
}
