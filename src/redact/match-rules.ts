// Finds credentials in a text. One pass finds the anchors of all rules; then each rule is tried only where
// one of its anchors is. The time is linear in the length of the text.
// Over 300 lines: one search, whose parts share its state.
import { anchorsOf, eachAnchor } from "./anchors.js";
import { type Codes, codesOf } from "./char-codes.js";
import { isAnnounced, isWordPhrase } from "./announced.js";
import { type Match, outsideMarks, united, withoutNext } from "./matches.js";
import { isNameLike } from "./printed-judge.js";
import { hasRandomLetters } from "./letter-pairs.js";
import {
  isFilledIn,
  isLikelyPassword,
  isLikelySecret,
  isNoWord,
  isMadeUp,
  isRandomKey,
  isWeakPassword,
  isWellKnown,
} from "./secret-heuristics.js";
import { cellsBelow } from "./tables.js";
import type { SecretRule } from "./rules/rule.js";

export interface RuleSet {
  rules: readonly SecretRule[];
  strict: boolean;
  /** Returns whether a text is exempt, though it looks like a secret. */
  allowed: (secret: string) => boolean;
}

/** Returns a function that finds the matches of a set of rules, from left to right and without overlap. */
export function finderOf({
  rules,
  strict,
  allowed,
}: RuleSet): (text: string, codes: Codes) => readonly Match[] {
  const anchors = anchorsOf(rules);
  // Rules that match a known form go before rules that guess, then in the order of the list.
  const ranks = new Map(
    rules.map((rule, index) => [rule, rule.isGuess !== undefined ? index + rules.length : index]),
  );
  return (text, codes) => {
    const taken: RankedMatch[] = [];
    const search: RuleSearch = {
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
        // Too little text for a value behind the name.
        if (rule.isGuess !== undefined && rule.before === undefined && text.length - at < minAssignmentLength)
          continue;
        if (rule.assigns === true && !(assigns ??= mayAssign(codes, at))) continue;
        if (rule.isPart === true && !isPartOfWord(codes[at - 1])) continue;
        if (rule.followedBy !== undefined && !rule.followedBy.includes(text.charAt(at + length))) continue;
        if (rule.isWord === true && !(isWord ??= beginsWord(text, at))) continue;
        if (rule.behind !== undefined && nextOf(search, rule.behind.pattern, at) > at + rule.behind.within)
          continue;
        if (rule.gate !== undefined && rule.gate !== gate) {
          gate = rule.gate;
          isOpen = testAt(gate, text, at);
        }
        if (rule.gate !== undefined && !isOpen) continue;
        if (rule.isColumn === true) {
          for (const found of inColumn(search, at, rule))
            if (!allowed(found.secret)) taken.push({ ...found, rank: ranks.get(rule) as number });
          continue;
        }
        // Anything inside a match of the same rule is already found.
        if (search.ends !== undefined && (search.ends.get(rule) ?? 0) > at) continue;
        const found = tryAt(search, at, rule);
        if (found === undefined || allowed(found.secret)) continue;
        search.ends ??= new Map();
        // Only the first line counts: another token may begin in the lines that a token seems to continue in.
        search.ends.set(rule, (found.pieces[0] as { to: number }).to);
        const rank = ranks.get(rule) as number;
        taken.push({ ...found, rank });
        if (rule.isGuess !== undefined)
          for (const next of listedAfter(search, found, rule)) taken.push({ ...next, rank });
      }
    });
    if (taken.length === 0) return none;
    return united(
      text,
      outsideMarks(withoutNext(taken, text), text).toSorted((a, b) => a.rank - b.rank),
    );
  };
}

const none: readonly Match[] = [];

/** The shortest `name=value`. */
const minAssignmentLength = 10;

interface RankedMatch extends Match {
  rank: number;
}

interface RuleSearch {
  text: string;
  strict: boolean;
  /**
   * Budget of characters that may be examined more than once. A text that exceeds it was crafted to do so:
   * then everything that may be a secret counts as one.
   */
  effort: number;
  /** Where the last match of each rule ends, in the line that it begins in. */
  ends: Map<SecretRule, number> | undefined;
  /** The last position found of each `behind` pattern. */
  next: Map<RegExp, number> | undefined;
}

/**
 * Returns the first position of a pattern at or behind this one. Positions are requested from left to right,
 * so the text is searched once.
 */
function nextOf(search: RuleSearch, pattern: RegExp, at: number): number {
  const known = search.next?.get(pattern);
  if (known !== undefined && known >= at) return known;
  pattern.lastIndex = at;
  const found = pattern.exec(search.text)?.index ?? Infinity;
  search.next ??= new Map();
  search.next.set(pattern, found);
  return found;
}

function testAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/**
 * Returns whether no letter or digit precedes, other than the end of a terminal escape or of a line end
 * escaped by JSON.
 */
function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordCharacter(text.charCodeAt(at - 1))) return true;
  return /(?:\u001b|\\u001b|\\x1b|\\e)\[[\d;]{0,10}[mK]$|\\[nrt]$|\\u00[0-9a-f]{2}$|%[0-9A-F]{2}$/i.test(
    text.slice(Math.max(0, at - 20), at),
  );
}

function isPartOfWord(code: number | undefined): boolean {
  return code !== undefined && (isWordCharacter(code) || code === dash);
}

/**
 * Returns whether an assignment mark may follow a name; a quick check. After an escape anything may follow.
 */
function mayAssign(codes: Codes, at: number): boolean {
  let end = at;
  while (end - at < maxNameLength && isNameCharacter(codes[end])) end++;
  if (codes[end] === escape || codes[end] === backslash || codes[end] === ampersand) return true;
  if (isOneOf(codes[end], quotes)) end++;
  for (let count = 0; count < maxClosing && isOneOf(codes[end], closing); count++) end++;
  for (let count = 0; count < maxSpaces && isOneOf(codes[end], spaces); count++) end++;
  if (isOneOf(codes[end], marks)) return true;
  // The type of a variable in Go.
  if (codes[end] === stringType[0] && stringType.every((code, index) => codes[end + index] === code))
    return true;
  // `?=`, `+=`, `.=`, `||=`; and a dash before a value in quotes.
  if (isOneOf(codes[end], joined)) return codes[end + 1] === equal || codes[end + 2] === equal;
  return codes[end] === dash && isOneOf(codes[end + 1], afterDash);
}

/** Upper bounds of all patterns. */
const maxNameLength = 64;
const maxClosing = 2;
const maxSpaces = 40;

const dash = 45;
const escape = 27;
const backslash = 92;
const ampersand = 38;
const quotes = codesOf("\"'`");
const closing = codesOf("])");
const spaces = codesOf(" \t");
const marks = codesOf(":=,\uff1a");
const joined = codesOf("?+.|");
const afterDash = codesOf(" >");
const stringType = codesOf("string ");
const equal = 61;

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

function tryAt(search: RuleSearch, at: number, rule: SecretRule): Match | undefined {
  const { text } = search;
  const { before = 0 } = rule;
  const first = Math.max(0, at - before);
  for (let start = first; start <= at; start++) {
    const match = matchAt(rule, text, start);
    if (match === undefined || match.end <= at || !isAcceptable(search, rule, match.secret)) continue;
    const longer = isContinued(text, match) ? trySplit(search, start, rule) : undefined;
    if (longer !== undefined) return { ...longer, begin: start, isLengthened: true };
    const to = tokenEnd(text, match);
    return {
      rule: rule.id,
      secret: text.slice(match.from, to),
      pieces: [{ from: match.from, to }],
      begin: start,
    };
  }
  // Guesses from context, and anchors that begin many words, are not searched for across lines.
  if (rule.isGuess !== undefined || (before === 0 && rule.anchors.some((anchor) => anchor.length < 3)))
    return undefined;
  for (let start = first; start <= at; start++) {
    const split = trySplit(search, start, rule);
    if (split !== undefined) return split;
  }
  return undefined;
}

/** Returns where a token really ends: patterns have an upper bound, and a long token continues past it. */
function tokenEnd(text: string, { from, to }: PatternMatch): number {
  if (to - from < longToken) return to;
  let end = to;
  while (end - from < maxTokenLength && isTokenCharacter(text.charCodeAt(end))) end++;
  return end;
}

const longToken = 200;
const maxTokenLength = 1 << 15;

/**
 * Returns whether a match ends its line, the line looks wrapped, and the next line begins with a lone token: one
 * before a blank must look like the rest of a key, since most lines begin with a word.
 */
function isContinued(text: string, { to }: PatternMatch): boolean {
  const rest =
    /^(\\?)(?:\r?\n|\\n)[^A-Za-z0-9]{0,40}(?:[A-Za-z0-9+/_.~-]{2,200}={0,2}(?:[\r\n"'`,;)]|\\n|$)|(?=[A-Za-z_+/-]{0,60}\d)[A-Za-z0-9+/_-]{12,200}={0,2}\s)/.exec(
      text.slice(to, to + 260),
    );
  if (rest === null) return false;
  const column = to - text.lastIndexOf("\n", to - 1);
  return rest[1] !== "" || (column >= 60 && column <= 140);
}

interface PatternMatch {
  secret: string;
  from: number;
  to: number;
  end: number;
}

function matchAt({ pattern }: SecretRule, text: string, start: number): PatternMatch | undefined {
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const secret = match.groups?.["secret"] ?? match[0];
  const from = match.index + (match.groups?.["secret"] === undefined ? 0 : match[0].lastIndexOf(secret));
  return { secret, from, to: from + secret.length, end: match.index + match[0].length };
}

/** Returns the secrets below the head of a column. */
function inColumn(search: RuleSearch, at: number, rule: SecretRule): Match[] {
  const { text } = search;
  const cells = cellsBelow(text, at, (count) => (search.effort -= count) > 0);
  return cells
    .map(({ from, to }) => ({
      rule: rule.id,
      secret: text.slice(from, to),
      pieces: [{ from, to }],
      begin: at,
    }))
    .filter(({ secret }) => isAcceptable(search, rule, secret));
}

/** The text between two values of a list in quotes. */
const betweenListed =
  /(?<quote>["'`])\s{0,20}(?:[,|]|\|\||or|\u3001)\s{0,20}(?<secret>["'`]\s?[^\s"'`]{6,2000})\s?["'`]/y;
const maxListed = 64;

/** Returns the secrets in the same list: `tokens = ["…", "…"]`. */
function listedAfter(search: RuleSearch, { pieces, rule: id }: Match, rule: SecretRule): Match[] {
  const listed: Match[] = [];
  let end = endOfPieces(pieces);
  while (listed.length < maxListed) {
    betweenListed.lastIndex = end;
    const match = betweenListed.exec(search.text);
    if (match === null) break;
    const secret = (match.groups?.["secret"] ?? "").slice(1).trim();
    if (!isRandomKey(secret.slice(0, judged)) || !isAcceptable(search, rule, secret)) break;
    const from = match.index + match[0].lastIndexOf(secret);
    end = from + secret.length;
    listed.push({ rule: id, secret, pieces: [{ from, to: end }] });
    while (/\s/.test(search.text.charAt(end))) end++;
  }
  return listed;
}

function endOfPieces(pieces: Match["pieces"]): number {
  return (pieces.at(-1) as { to: number }).to;
}

/** How much of a value is examined: the rest is like its beginning. */
const judged = 160;

function isAcceptable(search: RuleSearch, { isGuess, hasSpaces }: SecretRule, secret: string): boolean {
  const first = secret.slice(0, judged);
  const start = hasSpaces === true ? first.replaceAll(" ", "") : first;
  if (isWellKnown(secret)) return false;
  if (isGuess === undefined) return !isMadeUp(start);
  search.effort -= secret.length + judged;
  if (search.effort < 0) return !start.includes("[REDACTED:");
  if (isGuess === "any") return !isFilledIn(start);
  if (isGuess === "loose") return isNoWord(start);
  if (isGuess === "key") return isRandomKey(start);
  if (isGuess === "weak") return isWeakPassword(start);
  if (isGuess === "phrase") return isWordPhrase(secret);
  if (isGuess === "announced" || isGuess === "adjacent") return isAnnounced(start, isGuess === "announced");
  if (isGuess === "argument")
    return (
      isLikelyPassword(start, "spoken") || isRandomKey(start) || (isLikelySecret(start) && !isNameLike(start))
    );
  // Most words of a sentence are just words.
  if (isGuess === "spoken" && !/\d/.test(start) && !hasRandomLetters(start)) return false;
  return isLikelySecret(start, search) || (isGuess !== true && isLikelyPassword(start, isGuess));
}

/** A wrapped line ends soon after the secret begins. */
const lineOfOneWord = /[\x21-\x7e]{4,160}?(?=\\n|\r?\n)/y;
/** How much text is joined where a secret continues in the next line. */
const splitWindow = 700;
const lookBack = 64;
/** The end of a line within a token: a shell's backslash, an indent, a line number, a diff mark. */
const lineBreak = /\\?(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}(?:\d{1,6}(?:\u2192|\t))?[+>| ]{0,3}/g;

/** Tries a rule on a secret that contains line ends. */
function trySplit(search: RuleSearch, at: number, rule: SecretRule): Match | undefined {
  const { text } = search;
  // The rest of the line must be one word.
  if (!testAt(lineOfOneWord, text, at)) return undefined;
  search.effort -= splitWindow;
  if (search.effort < 0) return undefined;
  // Includes the text before, for lookbehinds of the pattern.
  const first = Math.max(0, at - lookBack, text.lastIndexOf("\n", at) + 1);
  const window = text.slice(first, at + splitWindow);
  const match = matchAt(rule, window.replaceAll(lineBreak, ""), at - first);
  if (match === undefined || !isAcceptable(search, rule, match.secret)) return undefined;
  const breaks = [...window.matchAll(lineBreak)].map(({ index, 0: gap }) => ({
    at: index,
    length: gap.length,
  }));
  const pieces = piecesOf(match, breaks, first);
  // A match without a break would have been found as it is.
  return pieces.length < 2 ? undefined : { rule: rule.id, secret: match.secret, pieces };
}

function piecesOf(
  { from, to }: PatternMatch,
  breaks: readonly { at: number; length: number }[],
  offset: number,
): Match["pieces"] {
  const pieces: Match["pieces"] = [];
  let removed = 0;
  let start = from;
  for (const { at, length } of breaks) {
    const position = at - removed;
    if (position >= to) break;
    if (position > start) pieces.push({ from: offset + start + removed, to: offset + at });
    if (position >= start) start = position;
    removed += length;
    if (position <= from) pieces.length = 0;
  }
  pieces.push({ from: offset + Math.max(start, from) + removed, to: offset + to + removed });
  return pieces;
}
