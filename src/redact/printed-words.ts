// Distinguishes words, names and placeholders from random characters of any kind. A generated password may
// contain any punctuation, or none at all.
import { entropy, isPlaceholder } from "./secret-heuristics.js";

/** Letter pairs that English words and program names hardly contain. */
const rarePairs =
  /b[fgknqxz]|c[bfgjvwxz]|d[xz]|f[bcdghjkmpqvwxz]|g[cjkqvxz]|h[gjkqvxz]|j[^aeiou]|k[cgjqvxz]|l[jqxz]|m[jqxz]|p[jqvxz]|q[^u]|r[jx]|s[xz]|t[jqx]|v[bcdfghjklmnpqtwxz]|w[cgjqvxz]|x[bdfgjkmnqrsvwz]|y[jqxy]|z[bcdfgjkmnpqrstvwx]/g;

/** Returns whether letters form words: `production`, `AccessDenied`, not `PuJXlYyqvIvs`. */
export function isWordLike(letters: string): boolean {
  const humps = letters.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{Lu}/gu) ?? [];
  if (letters.length < humps.length * 3) return false;
  return humps.every((hump) => {
    const lower = hump.toLowerCase();
    if (/[^a-z]/.test(lower) || lower.length <= 3) return true;
    const vowels = lower.match(/[aeiouy]/g)?.length ?? 0;
    const rare = lower.match(rarePairs)?.length ?? 0;
    return vowels >= lower.length / 6 && !/[^aeiouy]{5}/.test(lower) && rare <= lower.length / 10;
  });
}

/**
 * Returns how often one kind of character follows another, as a share of all adjacent pairs: words rarely
 * change kind, random characters often do.
 */
export function changes(text: string): number {
  let count = 0;
  for (let at = 1; at < text.length; at++) if (kindAt(text, at) !== kindAt(text, at - 1)) count++;
  return count / (text.length - 1);
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 97 && code <= 122) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 48 && code <= 57 ? 2 : 3;
}

/** More of a text is not examined. */
const judgedLength = 160;

/**
 * Returns whether a text without spaces is random characters, including letters only, or punctuation that
 * programs are full of.
 */
export function isDisordered(whole: string): boolean {
  const text = whole.slice(0, judgedLength);
  if (text.length < 10 || entropy(text) < 2.8) return false;
  if (/^[A-Za-z]+$/.test(text))
    return (
      text.length >= 16 &&
      /[a-z]/.test(text) &&
      /[A-Z]/.test(text) &&
      !isWordLike(text) &&
      changes(text) >= 0.3
    );
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(text)).length;
  return (
    kinds >= 3 &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    changes(text) >= 0.5 &&
    !isWholePlaceholder(text)
  );
}

/**
 * Whole placeholders: `<none>`, `${DB_PASSWORD}`, `****`, `your-token-here`. Random characters may contain
 * parts of one.
 */
const wholes = [
  /^(?:<[\w -]{0,60}>|\$?\{{1,2}[^{}]{0,80}\}{1,2}|\$[A-Z_][A-Z0-9_]*|\$\([^()]{0,80}\)|%[A-Z_]+%)$/,
  /^(?:[*xX.\u2022\u2026]{3,}\w{0,4}|\w{0,4}[*\u2022\u2026]{3,}\w{0,4})$/,
  /^\(?(?:null|undefined|none|nil|true|false|empty|unset|n\/a)\)?$/i,
];

export function isWholePlaceholder(text: string): boolean {
  if (text.includes("[REDACTED:") || wholes.some((whole) => whole.test(text))) return true;
  return /^[\w.-]+$/.test(text) && isPlaceholder(text);
}
