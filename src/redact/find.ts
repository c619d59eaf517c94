// Finds credentials in a text. One look for the anchors of all rules, then the rules whose anchors are there, at those places only:
// the time grows with the text and with nothing else.
import { isLikelySecret, isNoWord, isPlaceholder, isWellKnown } from "./likely.js";
import type { Rule } from "./rule.js";

export interface Found {
  rule: string;
  /** What is replaced: several pieces where line ends stand within. */
  pieces: { from: number; to: number }[];
  secret: string;
}

export interface RuleSet {
  rules: readonly Rule[];
  strict: boolean;
  /** Texts that are no secrets, though they look like one. */
  allowed: (secret: string) => boolean;
}

/** A function that finds what a set of rules finds, from left to right; nothing overlaps. */
export function finderOf({ rules, strict, allowed }: RuleSet): (text: string) => Found[] {
  const exact = anchorsOf(rules.filter(({ anyCase }) => anyCase !== true));
  const loose = anchorsOf(
    rules.filter(({ anyCase }) => anyCase === true),
    "i",
  );
  return (text) => {
    const taken: Found[] = [];
    const search: Search = { text, strict, effort: 20_000 + text.length * 40, ends: new Map() };
    for (const anchors of [exact, loose])
      eachAnchor(text, anchors, (at, rule) => {
        // What lies in a find of the same rule is found.
        if ((search.ends.get(rule) ?? 0) > at) return;
        const found = tryAt(search, at, rule);
        if (found === undefined || allowed(found.secret)) return;
        search.ends.set(rule, endOf(found));
        taken.push(found);
      });
    return apart(taken, rules, text);
  };
}

interface Search {
  text: string;
  strict: boolean;
  /** How many characters may still be looked at more than once. A text that takes more is made to take it: then all is a secret. */
  effort: number;
  /** Where the last find of each rule ends. */
  ends: Map<Rule, number>;
}

interface Anchors {
  pattern: RegExp | undefined;
  rules: Map<string, Rule[]>;
  fold: (text: string) => string;
}

function anchorsOf(rules: readonly Rule[], flag = ""): Anchors {
  const fold = (text: string): string => (flag === "" ? text : text.toLowerCase());
  const byAnchor = new Map<string, Rule[]>();
  for (const rule of rules)
    for (const anchor of rule.anchors)
      byAnchor.set(fold(anchor), [...(byAnchor.get(fold(anchor)) ?? []), rule]);
  // The longest first: of two that begin alike the longer must be found.
  const words = [...byAnchor.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  const pattern = words.length === 0 ? undefined : new RegExp(escaped.join("|"), `g${flag}`);
  // A shorter anchor stands at the same place as a longer one that begins with it.
  for (const [anchor, own] of byAnchor)
    for (const [other, others] of byAnchor)
      if (other !== anchor && other.startsWith(anchor))
        byAnchor.set(other, [...new Set([...others, ...own])]);
  return { pattern, rules: byAnchor, fold };
}

function eachAnchor(
  text: string,
  { pattern, rules, fold }: Anchors,
  take: (at: number, rule: Rule) => void,
): void {
  if (pattern === undefined) return;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { index } = match;
    for (const rule of rules.get(fold(match[0])) ?? [])
      if (rule.isWord !== true || beginsWord(text, index)) take(index, rule);
    // Anchors may overlap.
    pattern.lastIndex = index + 1;
  }
}

/** No letter or digit stands before it, unless it ends an escape of a terminal, or a line end in a JSON text. */
function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordCharacter(text.charCodeAt(at - 1))) return true;
  return /(?:\u001b|\\u001b|\\x1b|\\e)\[[\d;]{0,10}m$|\\[nrt]$|%[0-9A-F]{2}$/i.test(
    text.slice(Math.max(0, at - 20), at),
  );
}

function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function tryAt(search: Search, at: number, rule: Rule): Found | undefined {
  const { text } = search;
  const { before = 0 } = rule;
  const first = Math.max(0, at - before);
  for (let start = first; start <= at; start++) {
    const match = matchAt(rule, text, start);
    if (match === undefined || match.end <= at || !isGood(search, rule, match.secret)) continue;
    const longer = goesOn(text, match) ? trySplit(search, start, rule) : undefined;
    return longer ?? { rule: rule.id, secret: match.secret, pieces: [{ from: match.from, to: match.to }] };
  }
  // What is guessed from its surroundings, or begins like many a word, is not looked for in other lines.
  if (rule.isGuess !== undefined || (before === 0 && rule.anchors.some((anchor) => anchor.length < 3)))
    return undefined;
  for (let start = first; start <= at; start++) {
    const split = trySplit(search, start, rule);
    if (split !== undefined) return split;
  }
  return undefined;
}

/** Whether a line end stands right behind a match, and the line is of the kind that goes on in the next. */
function goesOn(text: string, { to }: Match): boolean {
  const rest = /^(\\?)(?:\r?\n|\\n)/.exec(text.slice(to, to + 4));
  if (rest === null) return false;
  const column = to - text.lastIndexOf("\n", to - 1);
  return rest[1] !== "" || (column >= 60 && column <= 140);
}

interface Match {
  secret: string;
  from: number;
  to: number;
  end: number;
}

function matchAt({ pattern }: Rule, text: string, start: number): Match | undefined {
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const secret = match.groups?.["secret"] ?? match[0];
  const from = match.index + (match.groups?.["secret"] === undefined ? 0 : match[0].lastIndexOf(secret));
  return { secret, from, to: from + secret.length, end: match.index + match[0].length };
}

/** How much of a value is judged: the rest is like its beginning. */
const judged = 160;

function isGood(search: Search, { isGuess }: Rule, secret: string): boolean {
  const start = secret.slice(0, judged);
  if (isWellKnown(secret)) return false;
  if (isGuess === undefined) return !isPlaceholder(start);
  search.effort -= secret.length + judged;
  if (search.effort < 0) return !start.includes("[REDACTED:");
  return isGuess === "loose" ? isNoWord(start) : isLikelySecret(start, search);
}

/** A line that is cut ends soon after the secret begins. */
const nearBreak = 164;
/** How much of a text is put together where a secret goes on in the next line. */
const splitWindow = 700;
/** The end of a line within a token: a backslash of the shell, an indent, a line number, a mark of a diff. */
const lineBreak = /\\?(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}(?:\d{1,6}(?:\u2192|\t))?[+>| ]{0,3}/g;

/** The same where line ends stand within the secret. */
function trySplit(search: Search, at: number, rule: Rule): Found | undefined {
  const { text } = search;
  // Up to the end of its line there is nothing but the secret.
  const line = /^[\x21-\x7e]{4,160}?(?=\\n|\r?\n)/.exec(text.slice(at, at + nearBreak));
  if (line === null) return undefined;
  search.effort -= splitWindow;
  if (search.effort < 0) return undefined;
  const window = text.slice(at, at + splitWindow);
  const breaks = [...window.matchAll(lineBreak)].map(({ index, 0: gap }) => ({
    at: index,
    length: gap.length,
  }));
  const joined = window.replaceAll(lineBreak, "");
  const match = matchAt(rule, joined, 0);
  if (match === undefined || !isGood(search, rule, match.secret)) return undefined;
  const pieces = piecesOf(match, breaks, at);
  // Without a break in it, it would have been found as it stands.
  return pieces.length < 2 ? undefined : { rule: rule.id, secret: match.secret, pieces };
}

function piecesOf(
  { from, to }: Match,
  breaks: readonly { at: number; length: number }[],
  offset: number,
): Found["pieces"] {
  const pieces: Found["pieces"] = [];
  let removed = 0;
  let start = from;
  for (const { at, length } of breaks) {
    const place = at - removed;
    if (place >= to) break;
    if (place > start) pieces.push({ from: offset + start + removed, to: offset + at });
    if (place >= start) start = place;
    removed += length;
    if (place <= from) pieces.length = 0;
  }
  pieces.push({ from: offset + Math.max(start, from) + removed, to: offset + to + removed });
  return pieces;
}

/** The finds in order, without those that lie in others. What is known by its form goes before what is guessed. */
function apart(found: readonly Found[], rules: readonly Rule[], text: string): Found[] {
  const rank = new Map(
    rules.map((rule, index) => [rule.id, rule.isGuess !== undefined ? index + 1000 : index]),
  );
  const byRank = found.toSorted(
    (a, b) => (rank.get(a.rule) ?? 0) - (rank.get(b.rule) ?? 0) || startOf(a) - startOf(b),
  );
  const kept: Found[] = [];
  const isFree = bookings();
  // What was masked before stays as it is.
  if (text.includes("[REDACTED:"))
    for (const { index, 0: mark } of text.matchAll(/\[REDACTED:[a-z0-9-]{1,60}:\d{1,9}\]/g))
      isFree(index, index + mark.length);
  for (const one of byRank) if (isFree(startOf(one), endOf(one))) kept.push(one);
  return kept.sort((a, b) => startOf(a) - startOf(b));
}

/** Takes places that nobody has taken, and says whether it could. */
export function bookings(): (from: number, to: number) => boolean {
  const taken: { from: number; to: number }[] = [];
  return (from, to) => {
    let low = 0;
    let high = taken.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((taken[middle] as { from: number }).from < from) low = middle + 1;
      else high = middle;
    }
    if ((taken[low - 1]?.to ?? 0) > from || (taken[low]?.from ?? Infinity) < to) return false;
    taken.splice(low, 0, { from, to });
    return true;
  };
}

export function startOf({ pieces }: Found): number {
  return (pieces[0] as { from: number }).from;
}

export function endOf({ pieces }: Found): number {
  return (pieces.at(-1) as { to: number }).to;
}
