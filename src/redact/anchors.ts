// Finds the anchors of all rules in one look at a text. Three characters at a time are asked whether an anchor may begin with them, which
// is several times faster than one pattern with hundreds of words; where one may, the characters that follow are asked in turn. Making
// the table is part of every start of the program: what can be left until a text asks for it, is.
import { type Codes, codesOf } from "./char-codes.js";
import type { Rule } from "./rules/rule.js";

interface Anchor {
  /** In lower case, if it is loose. */
  text: string;
  /** In upper and lower case alike. */
  isLoose: boolean;
  rules: Rule[];
}

/** Anchors of which so much is known to stand in a text. */
interface Fork {
  anchors: Anchor[];
  /** How many characters are known. */
  depth: number;
  /** What there is to do, once it was asked for. */
  divided?: { ends: readonly Ending[]; next: readonly (Fork | undefined)[] };
}

/** An anchor that may end where a fork is. */
interface Ending {
  codes: Codes;
  isLoose: boolean;
  rules: readonly Rule[];
}

/** Where anchors may begin, and which. */
export interface Anchors {
  /** For three characters the number of a fork, or 0. */
  table: Uint16Array;
  forks: readonly Fork[];
}

export function anchorsOf(rules: readonly Rule[]): Anchors {
  const anchors = new Map<string, Anchor>();
  for (const rule of rules)
    for (const given of rule.anchors) {
      const isLoose = rule.anyCase === true;
      const text = isLoose ? given.toLowerCase() : given;
      const key = isLoose ? `~${text}` : `=${text}`;
      const anchor = anchors.get(key);
      if (anchor === undefined) anchors.set(key, { text, isLoose, rules: [rule] });
      else anchor.rules.push(rule);
    }
  const table = new Uint16Array(size);
  const forks: Fork[] = [{ anchors: [], depth: 3 }];
  for (const anchor of anchors.values()) {
    // Where others begin alike, or have the same place, it goes to them: who may stand there and does not is found out later.
    const own = { anchors: [anchor], depth: 3 };
    let number = 0;
    for (const start of startsOf(anchor)) {
      const there = forks[table[start] as number] as Fork;
      if (there.anchors.length === 0) table[start] = number ||= forks.push(own) - 1;
      else if (!there.anchors.includes(anchor)) there.anchors.push(anchor);
    }
  }
  return { table, forks };
}

const size = 1 << 18;

/** The place in the table for three characters. A few have the same. */
function placeOf(first: number, second: number, third: number): number {
  return ((first << 12) ^ (second << 6) ^ third) & (size - 1);
}

/** Every way in which three characters can begin an anchor. Behind one of two characters anything may stand that a key holds. */
function startsOf({ text, isLoose }: Anchor): number[] {
  const starts: number[] = [];
  for (const first of casesOf(text.charCodeAt(0), isLoose))
    for (const second of casesOf(text.charCodeAt(1), isLoose))
      for (const third of text.length < 3 ? anyThird : casesOf(text.charCodeAt(2), isLoose))
        starts.push(placeOf(first, second, third));
  return starts;
}

/** From a dash to a small z: letters, digits, and what stands between them. */
const anyThird = Array.from({ length: 78 }, (_, at) => at + 45);

function casesOf(code: number, isLoose: boolean): number[] {
  if (!isLoose) return [code];
  if (code < 128) return code >= 97 && code <= 122 ? [code, code - 32] : [code];
  return [code, String.fromCharCode(code).toUpperCase().charCodeAt(0)];
}

/** Upper and lower case alike, and no more than seven bits: that others may come to the same does no harm. */
function folded(code: number): number {
  if (code > 127) return String.fromCharCode(code).toLowerCase().charCodeAt(0) & 127;
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function divide({ anchors, depth }: Fork): NonNullable<Fork["divided"]> {
  const isLast = anchors.length === 1;
  const ends = anchors.filter(({ text }) => isLast || text.length <= depth);
  const next: (Fork | undefined)[] = Array.from({ length: 128 });
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

/** Hands over each place where an anchor stands, with the rules that it is one of. */
export function eachAnchor(
  codes: Codes,
  { table, forks }: Anchors,
  take: (at: number, rules: readonly Rule[], length: number) => void,
): void {
  let first = 0;
  let second = 0;
  for (let end = 0; end < codes.length; end++) {
    const third = codes[end] as number;
    const number = table[placeOf(first, second, third)] as number;
    first = second;
    second = third;
    if (number === 0) continue;
    let fork: Fork | undefined = forks[number];
    for (let after = end + 1; fork !== undefined; after++) {
      const { ends, next }: NonNullable<Fork["divided"]> = (fork.divided ??= divide(fork));
      for (const anchor of ends)
        if (stands(codes, end - 2, anchor)) take(end - 2, anchor.rules, anchor.codes.length);
      fork = after < codes.length ? next[folded(codes[after] as number)] : undefined;
    }
  }
}

function stands(codes: Codes, at: number, { codes: wanted, isLoose }: Ending): boolean {
  if (at < 0 || at + wanted.length > codes.length) return false;
  // From the end, since the beginning is known to be alike: nearly all of them differ at once.
  for (let index = wanted.length - 1; index >= 0; index--) {
    const code = codes[at + index] as number;
    if (code !== wanted[index] && !(isLoose && isOtherCase(code, wanted[index] as number))) return false;
  }
  return true;
}

function isOtherCase(code: number, wanted: number): boolean {
  if (code < 128) return code >= 65 && code <= 90 && code + 32 === wanted;
  return String.fromCharCode(code).toLowerCase() === String.fromCharCode(wanted);
}
