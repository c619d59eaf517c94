// Finds the anchors of all rules in one pass over a text. A table indexed by three characters says whether an
// anchor may begin with them, which is several times faster than one pattern with hundreds of words; where
// one may, the characters that follow are checked in turn. The table is built at every start of the program,
// so whatever can wait until a text needs it, waits.
import { type Codes, codesOf } from "./char-codes.js";
import type { SecretRule } from "./rules/rule.js";

interface RuleAnchor {
  /** In lower case if `isLoose`. */
  text: string;
  /** Matches regardless of case. */
  isLoose: boolean;
  rules: SecretRule[];
}

/** A node of the search: the anchors that share what has been matched so far. */
interface AnchorFork {
  anchors: RuleAnchor[];
  /** Number of characters matched so far. */
  depth: number;
  /** The next level, built on first use. */
  divided?: { ends: readonly AnchorEnding[]; next: readonly (AnchorFork | undefined)[] };
}

/** An anchor that may end at a fork. */
interface AnchorEnding {
  codes: Codes;
  isLoose: boolean;
  rules: readonly SecretRule[];
}

export interface Anchors {
  /** Maps a hash of three characters to the number of a fork, or to 0. */
  table: Uint16Array;
  forks: readonly AnchorFork[];
}

export function anchorsOf(rules: readonly SecretRule[]): Anchors {
  const anchors = new Map<string, RuleAnchor>();
  for (const rule of rules)
    for (const written of rule.anchors) {
      const isLoose = rule.anyCase === true;
      const text = isLoose ? written.toLowerCase() : written;
      const key = isLoose ? `~${text}` : `=${text}`;
      const anchor = anchors.get(key);
      if (anchor === undefined) anchors.set(key, { text, isLoose, rules: [rule] });
      else anchor.rules.push(rule);
    }
  return tableOf(anchors.values());
}

/**
 * Most anchors share their first three characters with others, so slots are computed once for all of those.
 */
function tableOf(anchors: Iterable<RuleAnchor>): Anchors {
  const groups = new Map<string, RuleAnchor[]>();
  for (const anchor of anchors) {
    const key = (anchor.isLoose ? "~" : "=") + anchor.text.slice(0, 3);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [anchor]);
    else group.push(anchor);
  }
  const table = new Uint16Array(size);
  const forks: AnchorFork[] = [{ anchors: [], depth: 3 }];
  for (const group of groups.values()) {
    // Anchors that share a slot with others (same start, or a hash collision) join their fork; `divide` and
    // `matchesAt` sort out which of them really match.
    const own = { anchors: group, depth: 3 };
    let number = 0;
    for (const start of startsOf(group[0] as RuleAnchor)) {
      const known = forks[table[start] as number] as AnchorFork;
      if (known.anchors.length === 0) table[start] = number ||= forks.push(own) - 1;
      else for (const anchor of group) if (!known.anchors.includes(anchor)) known.anchors.push(anchor);
    }
  }
  return { table, forks };
}

const size = 1 << 18;

/** Returns the slot in the table for three characters. A few triples collide. */
function slotOf(first: number, second: number, third: number): number {
  return ((first << 12) ^ (second << 6) ^ third) & (size - 1);
}

/**
 * Returns every slot for the first three characters of an anchor. An anchor of two characters may be followed
 * by any character of a key, or by what follows a word.
 */
function startsOf({ text, isLoose }: RuleAnchor): number[] {
  const seconds = casesOf(text.charCodeAt(1), isLoose);
  const isShort = text.length < 3;
  const ofText = isShort ? undefined : casesOf(text.charCodeAt(2), isLoose);
  const thirds = ofText ?? (text.charCodeAt(0) < 128 ? anyThird : thirdsOfWords);
  const starts: number[] = [];
  // The inner loop is no `for … of`: it runs a thousand times at every start, before V8 compiles it.
  for (const first of casesOf(text.charCodeAt(0), isLoose))
    for (const second of seconds)
      for (let at = 0; at < thirds.length; at++) starts.push(slotOf(first, second, thirds[at] as number));
  return starts;
}

/** From `-` to `z`: letters, digits and the punctuation between them. */
const anyThird = Array.from({ length: 78 }, (_, at) => at + 45);

/**
 * What may follow a word of two characters in Chinese, Japanese or Korean: a mark, a quote, a particle, a
 * bracket.
 */
const thirdsOfWords = codesOf(
  " :=-\"'`,)|*_\n\t\\\uff1a\uff1d\uff08\uff09\u300d\u300f\u3001\u662f\u4e3a\u70ba\u6539\u8bbe\u8a2d\u7528\u5df2\u8bf7\u5982\u306f\u304c\u3092\u306b\ub294\uc740\uac00\uc774\ub97c\ub85c\ub4dc",
);

function casesOf(code: number, isLoose: boolean): number[] {
  if (!isLoose) return [code];
  if (code < 128) return code >= 97 && code <= 122 ? [code, code - 32] : [code];
  return [code, String.fromCharCode(code).toUpperCase().charCodeAt(0)];
}

/** Folds case and reduces to seven bits; collisions do no harm. */
function folded(code: number): number {
  if (code > 127) return String.fromCharCode(code).toLowerCase().charCodeAt(0) & 127;
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function divide({ anchors, depth }: AnchorFork): NonNullable<AnchorFork["divided"]> {
  const isLast = anchors.length === 1;
  const ends = anchors.filter(({ text }) => isLast || text.length <= depth);
  const next: (AnchorFork | undefined)[] = Array.from({ length: 128 });
  for (const anchor of anchors) {
    if (ends.includes(anchor)) continue;
    const code = folded(anchor.text.charCodeAt(depth));
    const fork = next[code];
    if (fork === undefined) next[code] = { anchors: [anchor], depth: depth + 1 };
    else fork.anchors.push(anchor);
  }
  return {
    ends: ends.map(({ text, isLoose, rules }) => ({ codes: codesOf(text), isLoose, rules })),
    next,
  };
}

/** Calls `onAnchor` for each anchor in the text, with the rules that share it. */
export function eachAnchor(
  codes: Codes,
  { table, forks }: Anchors,
  onAnchor: (at: number, rules: readonly SecretRule[], length: number) => void,
): void {
  let first = 0;
  let second = 0;
  for (let end = 0; end < codes.length; end++) {
    const third = codes[end] as number;
    const number = table[slotOf(first, second, third)] as number;
    first = second;
    second = third;
    if (number === 0) continue;
    let fork: AnchorFork | undefined = forks[number];
    for (let after = end + 1; fork !== undefined; after++) {
      const { ends, next }: NonNullable<AnchorFork["divided"]> = (fork.divided ??= divide(fork));
      for (const anchor of ends)
        if (matchesAt(codes, end - 2, anchor)) onAnchor(end - 2, anchor.rules, anchor.codes.length);
      fork = after < codes.length ? next[folded(codes[after] as number)] : undefined;
    }
  }
}

function matchesAt(codes: Codes, at: number, { codes: needle, isLoose }: AnchorEnding): boolean {
  if (at < 0 || at + needle.length > codes.length) return false;
  // Compares from the end because the beginning is known to match: nearly all candidates fail at once.
  for (let index = needle.length - 1; index >= 0; index--) {
    const code = codes[at + index] as number;
    if (code !== needle[index] && !(isLoose && isOtherCase(code, needle[index] as number))) return false;
  }
  return true;
}

function isOtherCase(code: number, needle: number): boolean {
  if (code < 128) return code >= 65 && code <= 90 && code + 32 === needle;
  return String.fromCharCode(code).toLowerCase() === String.fromCharCode(needle);
}
