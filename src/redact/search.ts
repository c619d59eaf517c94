// Everything that is found in a text, by all rules, as it stands and as it may be written.
import { codesOf, sharedCodesOf } from "./codes.js";
import { contextRules } from "./context-rules.js";
import { findInBase64, findInUrl } from "./encoded.js";
import { finderOf } from "./find.js";
import { type Found, outsideMarks, united } from "./found.js";
import { namedRules } from "./named-rules.js";
import { providerRules } from "./provider-rules.js";
import type { Rule } from "./rule.js";
import { shellRules } from "./shell-rules.js";

/** The number of the built-in rules: what they mask, they mask everywhere alike. Another number, another set. */
export const ruleSetVersion = 1;

/** The rules that every copy of this program has. */
export const builtInRules: readonly Rule[] = [
  ...providerRules,
  ...contextRules,
  ...shellRules,
  ...namedRules,
];

export type Mode = "off" | "standard" | "strict";

export interface RedactOptions {
  mode: Exclude<Mode, "off">;
  /** Finds what the user's own rules say. */
  own?: ((text: string) => Found[]) | undefined;
  /** Texts that are never masked. */
  allow?: readonly string[];
}

export interface Search {
  find(text: string): readonly Found[];
  mode: Exclude<Mode, "off">;
}

const none: readonly Found[] = [];

/** From left to right; nothing overlaps. */
export function searchOf({ mode, own, allow = [] }: RedactOptions): Search {
  const allowed = new Set(allow);
  const isStrict = mode === "strict";
  const find = finderOf({
    rules: builtInRules.filter(({ strict }) => isStrict || strict !== true),
    strict: isStrict,
    allowed: (secret) => allowed.has(secret),
  });
  const all = (text: string, depth: number): readonly Found[] => {
    if (text.length < 8) return none;
    const deeper = (inner: string): readonly Found[] => (depth < 2 ? all(inner, depth + 1) : none);
    const codes = depth === 0 ? sharedCodesOf(text) : codesOf(text);
    const known = find(text, codes);
    const inUrl = text.includes("%") ? findInUrl(text, deeper) : none;
    const inBase64 = findInBase64(text, codes, deeper);
    const ours = own === undefined ? none : outsideMarks(own(text), text);
    // Most texts are short, and have nothing in them.
    if (known.length + inUrl.length + inBase64.length + ours.length === 0) return none;
    const allowedOurs = ours.filter(({ secret }) => !allowed.has(secret));
    return united(text, [...allowedOurs, ...known, ...inUrl, ...inBase64]);
  };
  return { find: (text) => all(text, 0), mode };
}
