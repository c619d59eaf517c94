// Finds credentials in a text. One look for the anchors of all rules, then the rules whose anchors are there, at those places only:
// the time grows with the text and with nothing else.
import { anchorsOf, eachAnchor } from "./anchors.js";
import { type Codes, codesOf } from "./char-codes.js";
import { type Found, outsideMarks, united, withoutNext } from "./matches.js";
import { hasRandomLetters } from "./letter-pairs.js";
import {
  isFilledIn,
  isLikelyPassword,
  isLikelySecret,
  isNoWord,
  isPlaceholder,
  isWellKnown,
} from "./secret-heuristics.js";
import type { Rule } from "./rules/rule.js";

export interface RuleSet {
  rules: readonly Rule[];
  strict: boolean;
  /** Texts that are no secrets, though they look like one. */
  allowed: (secret: string) => boolean;
}

/** A function that finds what a set of rules finds, from left to right; nothing overlaps. */
export function finderOf({
  rules,
  strict,
  allowed,
}: RuleSet): (text: string, codes: Codes) => readonly Found[] {
  const anchors = anchorsOf(rules);
  // What is known by its form goes before what is guessed, then the order of the rules.
  const ranks = new Map(
    rules.map((rule, index) => [rule, rule.isGuess !== undefined ? index + rules.length : index]),
  );
  return (text, codes) => {
    const taken: Ranked[] = [];
    const search: Search = {
      text,
      strict,
      effort: 20_000 + text.length * 40,
      ends: undefined,
      next: undefined,
    };
    eachAnchor(codes, anchors, (at, some, length) => {
      let isWord: boolean | undefined;
      let assigns: boolean | undefined;
      let gate: RegExp | undefined;
      let isOpen = true;
      for (const rule of some) {
        // Behind a name there must be room for a value.
        if (rule.isGuess !== undefined && rule.before === undefined && text.length - at < shortest) continue;
        if (rule.assigns === true && !(assigns ??= mayAssign(codes, at))) continue;
        if (rule.isPart === true && !isPartOfWord(codes[at - 1])) continue;
        if (rule.followedBy !== undefined && !rule.followedBy.includes(text.charAt(at + length))) continue;
        if (rule.isWord === true && !(isWord ??= beginsWord(text, at))) continue;
        if (rule.behind !== undefined && nextOf(search, rule.behind.pattern, at) > at + rule.behind.within)
          continue;
        if (rule.gate !== undefined && rule.gate !== gate) {
          gate = rule.gate;
          isOpen = standsAt(gate, text, at);
        }
        if (rule.gate !== undefined && !isOpen) continue;
        // What lies in a find of the same rule is found.
        if (search.ends !== undefined && (search.ends.get(rule) ?? 0) > at) continue;
        const found = tryAt(search, at, rule);
        if (found === undefined || allowed(found.secret)) continue;
        search.ends ??= new Map();
        // In the lines that a token seems to go on in, another token may begin.
        search.ends.set(rule, (found.pieces[0] as { to: number }).to);
        taken.push({ ...found, rank: ranks.get(rule) as number });
      }
    });
    if (taken.length === 0) return none;
    return united(
      text,
      outsideMarks(withoutNext(taken, text), text).toSorted((a, b) => a.rank - b.rank),
    );
  };
}

const none: readonly Found[] = [];

/** A name, a mark and a value have at least so many characters. */
const shortest = 10;

interface Ranked extends Found {
  rank: number;
}

interface Search {
  text: string;
  strict: boolean;
  /** How many characters may still be looked at more than once. A text that takes more is made to take it: then all is a secret. */
  effort: number;
  /** Where the last find of each rule ends, in the line that it begins in. */
  ends: Map<Rule, number> | undefined;
  /** Where what stands behind anchors was last found. */
  next: Map<RegExp, number> | undefined;
}

/** The first place of a pattern at or behind this one. Places are asked for from left to right, so the text is looked through once. */
function nextOf(search: Search, pattern: RegExp, at: number): number {
  const known = search.next?.get(pattern);
  if (known !== undefined && known >= at) return known;
  pattern.lastIndex = at;
  const found = pattern.exec(search.text)?.index ?? Infinity;
  search.next ??= new Map();
  search.next.set(pattern, found);
  return found;
}

function standsAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** No letter or digit stands before it, unless it ends an escape of a terminal, or a line end in a JSON text. */
function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordCharacter(text.charCodeAt(at - 1))) return true;
  return /(?:\u001b|\\u001b|\\x1b|\\e)\[[\d;]{0,10}[mK]$|\\[nrt]$|\\u00[0-9a-f]{2}$|%[0-9A-F]{2}$/i.test(
    text.slice(Math.max(0, at - 20), at),
  );
}

function isPartOfWord(code: number | undefined): boolean {
  return code !== undefined && (isWordCharacter(code) || code === dash);
}

/** Whether a mark may stand behind a name: what is told at a glance. Behind an escape anything may. */
function mayAssign(codes: Codes, at: number): boolean {
  let end = at;
  while (end - at < longestName && isNameCharacter(codes[end])) end++;
  if (codes[end] === escape || codes[end] === backslash || codes[end] === ampersand) return true;
  if (isOneOf(codes[end], quotes)) end++;
  for (let count = 0; count < mostClosing && isOneOf(codes[end], closing); count++) end++;
  for (let count = 0; count < mostSpaces && isOneOf(codes[end], spaces); count++) end++;
  return isOneOf(codes[end], marks);
}

/** No pattern takes more. */
const longestName = 64;
const mostClosing = 2;
const mostSpaces = 40;

const dash = 45;
const escape = 27;
const backslash = 92;
const ampersand = 38;
const quotes = codesOf("\"'`");
const closing = codesOf("])");
const spaces = codesOf(" \t");
const marks = codesOf(":=,\uff1a");

function isOneOf(code: number | undefined, some: Codes): boolean {
  return code !== undefined && some.includes(code);
}

function isNameCharacter(code: number | undefined): boolean {
  return code !== undefined && (isWordCharacter(code) || code === 95 || code === dash);
}

function isTokenCharacter(code: number): boolean {
  return isWordCharacter(code) || code === 43 || (code >= 45 && code <= 47) || code === 61 || code === 95;
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
    if (longer !== undefined) return { ...longer, begin: start, isLengthened: true };
    const to = tokenEnd(text, match);
    return {
      rule: rule.id,
      secret: text.slice(match.from, to),
      pieces: [{ from: match.from, to }],
      begin: start,
    };
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

/** A pattern has a bound; a long token goes on behind it. */
function tokenEnd(text: string, { from, to }: Match): number {
  if (to - from < longToken) return to;
  let end = to;
  while (end - from < longestToken && isTokenCharacter(text.charCodeAt(end))) end++;
  return end;
}

const longToken = 200;
const longestToken = 1 << 15;

/** Whether a line end stands right behind a match, the line is of the kind that goes on in the next, and that begins with a lone token. */
function goesOn(text: string, { to }: Match): boolean {
  const rest = /^(\\?)(?:\r?\n|\\n)[^A-Za-z0-9]{0,40}[A-Za-z0-9+/_.~-]{2,200}={0,2}(?:[\s"'`,;)]|\\n|$)/.exec(
    text.slice(to, to + 260),
  );
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

function isGood(search: Search, { isGuess, hasSpaces }: Rule, secret: string): boolean {
  const first = secret.slice(0, judged);
  const start = hasSpaces === true ? first.replaceAll(" ", "") : first;
  if (isWellKnown(secret)) return false;
  if (isGuess === undefined) return !isPlaceholder(start);
  search.effort -= secret.length + judged;
  if (search.effort < 0) return !start.includes("[REDACTED:");
  if (isGuess === "any") return !isFilledIn(start);
  if (isGuess === "loose") return isNoWord(start);
  // In a sentence most words are just words.
  if (isGuess === "spoken" && !/\d/.test(start) && !hasRandomLetters(start)) return false;
  return isLikelySecret(start, search) || (isGuess !== true && isLikelyPassword(start, isGuess));
}

/** A line that is cut ends soon after the secret begins. */
const lineOfOneWord = /[\x21-\x7e]{4,160}?(?=\\n|\r?\n)/y;
/** How much of a text is put together where a secret goes on in the next line. */
const splitWindow = 700;
const lookBack = 64;
/** The end of a line within a token: a backslash of the shell, an indent, a line number, a mark of a diff. */
const lineBreak = /\\?(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}(?:\d{1,6}(?:\u2192|\t))?[+>| ]{0,3}/g;

/** The same where line ends stand within the secret. */
function trySplit(search: Search, at: number, rule: Rule): Found | undefined {
  const { text } = search;
  // Up to the end of its line there is nothing but the secret.
  if (!standsAt(lineOfOneWord, text, at)) return undefined;
  search.effort -= splitWindow;
  if (search.effort < 0) return undefined;
  // With what stands before it, at which a pattern may look.
  const first = Math.max(0, at - lookBack, text.lastIndexOf("\n", at) + 1);
  const window = text.slice(first, at + splitWindow);
  const match = matchAt(rule, window.replaceAll(lineBreak, ""), at - first);
  if (match === undefined || !isGood(search, rule, match.secret)) return undefined;
  const breaks = [...window.matchAll(lineBreak)].map(({ index, 0: gap }) => ({
    at: index,
    length: gap.length,
  }));
  const pieces = piecesOf(match, breaks, first);
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
