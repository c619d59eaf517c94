// Finds the anchors of all rules in one look at a text. Three characters at a time are asked whether an anchor may begin with them, which
// is several times faster than one pattern with hundreds of words; where one may, the characters that follow are asked in turn.
import { type Codes, codesOf } from "./codes.js";
import type { Rule } from "./rule.js";

interface Anchor {
  codes: Codes;
  /** In upper and lower case alike; the text is in lower case. */
  isLoose: boolean;
  rules: Rule[];
}

/** Where anchors may begin, and which. */
export interface Anchors {
  /** For three characters the number of a fork, or 0. */
  table: Uint16Array;
  /** For a fork and the character that comes next, whatever its case, the number of the next fork, or 0. */
  next: Uint16Array;
  /** For a fork the anchors that may stand there. */
  forks: readonly (readonly Anchor[])[];
}

export function anchorsOf(rules: readonly Rule[]): Anchors {
  const anchors = new Map<string, Anchor>();
  for (const rule of rules)
    for (const given of rule.anchors) {
      const isLoose = rule.anyCase === true;
      const text = isLoose ? given.toLowerCase() : given;
      const anchor = anchors.get(`${isLoose} ${text}`) ?? { codes: codesOf(text), isLoose, rules: [] };
      anchors.set(`${isLoose} ${text}`, anchor);
      anchor.rules.push(rule);
    }
  // Many begin alike: each beginning is worked out once.
  const alike = new Map<string, Anchor[]>();
  for (const [key, anchor] of anchors) {
    const start = key.slice(0, anchor.isLoose ? "true ".length + 3 : "false ".length + 3);
    const group = alike.get(start);
    if (group === undefined) alike.set(start, [anchor]);
    else group.push(anchor);
  }
  const table = new Uint16Array(size);
  const groups: (readonly Anchor[])[] = [[]];
  for (const some of alike.values()) {
    // By the group that is there already: at nearly all places that is none.
    const joined = new Map<number, number>();
    for (const start of startsOf(some[0] as Anchor)) {
      const there = table[start] as number;
      const number = joined.get(there) ?? groups.push([...(groups[there] ?? []), ...some]) - 1;
      joined.set(there, number);
      table[start] = number;
    }
  }
  return { table, ...forksOf(groups) };
}

/** A fork for each group, with the same number, and behind them those that they lead to. */
function forksOf(groups: readonly (readonly Anchor[])[]): Pick<Anchors, "next" | "forks"> {
  const forks: (readonly Anchor[])[] = [...groups];
  const ways: [fork: number, code: number, to: number][] = [];
  const divide = (fork: number, depth: number): void => {
    const anchors = forks[fork] as readonly Anchor[];
    if (anchors.length < 2) return;
    forks[fork] = anchors.filter(({ codes }) => codes.length <= depth);
    const byCode = new Map<number, Anchor[]>();
    for (const anchor of anchors.filter(({ codes }) => codes.length > depth)) {
      const code = folded(anchor.codes[depth] as number);
      byCode.set(code, [...(byCode.get(code) ?? []), anchor]);
    }
    for (const [code, some] of byCode) {
      const to = forks.push(some) - 1;
      ways.push([fork, code, to]);
      divide(to, depth + 1);
    }
  };
  for (const fork of groups.keys()) divide(fork, 3);
  const next = new Uint16Array(forks.length << 7);
  for (const [fork, code, to] of ways) next[(fork << 7) | code] = to;
  return { next, forks };
}

const size = 1 << 21;

/** The place in the table for three characters. Only those of ASCII have a place of their own. */
function placeOf(first: number, second: number, third: number): number {
  return ((first << 14) ^ (second << 7) ^ third) & (size - 1);
}

/** Every way in which three characters can begin an anchor. Behind one of two characters anything may stand that a key holds. */
function startsOf({ codes, isLoose }: Anchor): number[] {
  const [first = [], second = [], third = []] = [0, 1, 2].map((at) =>
    at < codes.length ? casesOf(codes[at] as number, isLoose) : anyThird,
  );
  return first.flatMap((a) => second.flatMap((b) => third.map((c) => placeOf(a, b, c))));
}

/** From a dash to a small z: letters, digits, and what stands between them. */
const anyThird = Array.from({ length: 78 }, (_, at) => at + 45);

function casesOf(code: number, isLoose: boolean): number[] {
  const upper = isLoose ? String.fromCharCode(code).toUpperCase().charCodeAt(0) : code;
  return upper === code ? [code] : [code, upper];
}

/** Upper and lower case alike, and no more than seven bits: that others may come to the same does no harm. */
function folded(code: number): number {
  if (code > 127) return String.fromCharCode(code).toLowerCase().charCodeAt(0) & 127;
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** Hands over each place where an anchor stands, with the rules that it is one of. */
export function eachAnchor(
  codes: Codes,
  { table, next, forks }: Anchors,
  take: (at: number, rules: readonly Rule[], length: number) => void,
): void {
  let first = 0;
  let second = 0;
  for (let end = 0; end < codes.length; end++) {
    const third = codes[end] as number;
    let fork = table[placeOf(first, second, third)] as number;
    first = second;
    second = third;
    for (let after = end + 1; fork !== 0; after++) {
      for (const anchor of forks[fork] as readonly Anchor[])
        if (stands(codes, end - 2, anchor)) take(end - 2, anchor.rules, anchor.codes.length);
      if (after === codes.length) break;
      fork = next[(fork << 7) | folded(codes[after] as number)] as number;
    }
  }
}

function stands(codes: Codes, at: number, { codes: wanted, isLoose }: Anchor): boolean {
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
