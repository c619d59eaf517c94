// Characters in regular expressions of RE2: how they are escaped, and the other case of ASCII letters.

/** Escapes for one character. */
export const specials: Readonly<Record<string, string>> = {
  t: "\t",
  n: "\n",
  r: "\r",
  f: "\f",
  v: "\v",
  a: "\u0007",
};

/** What a class lacks if either case of ASCII letters fits. */
export const oppositeClass: Readonly<Record<string, string>> = {
  "[:lower:]": "A-Z",
  "[:upper:]": "a-z",
  "[:^lower:]": "a-z",
  "[:^upper:]": "A-Z",
  "\\p{Ll}": "A-Z",
  "\\p{Lu}": "a-z",
  "\\P{Ll}": "a-z",
  "\\P{Lu}": "A-Z",
  "\\p{^Ll}": "a-z",
  "\\p{^Lu}": "A-Z",
};

/** Returns an ASCII letter in the other case; undefined for anything else. */
export function otherCase(character: string): string | undefined {
  if (/^[a-z]$/.test(character)) return character.toUpperCase();
  return /^[A-Z]$/.test(character) ? character.toLowerCase() : undefined;
}

/** Returns the ranges of ASCII letters that a range has in the other case. */
export function otherRanges(from: string, to: string): string {
  const [first, last] = [from.codePointAt(0) as number, to.codePointAt(0) as number];
  return [
    { low: 0x61, high: 0x7a, shift: -32 },
    { low: 0x41, high: 0x5a, shift: 32 },
  ]
    .map(({ low, high, shift }) => {
      const [begin, end] = [Math.max(first, low), Math.min(last, high)];
      return begin > end ? "" : `${String.fromCodePoint(begin + shift)}-${String.fromCodePoint(end + shift)}`;
    })
    .join("");
}

/** Returns an expression that means the same, without texts between \Q and \E. */
export function withoutQuotes(source: string): string {
  return source.replaceAll(/\\Q(.*?)(?:\\E|$)|\\./gsu, (all, text: string | undefined) =>
    text === undefined ? all : quote(text),
  );
}

/** Escapes a character for use in and outside of a class. */
export function quote(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}-]/g, "\\$&");
}
