// Everything that is found in a text, by all rules, as it stands and as it may be written.
import { codesOf, sharedCodesOf } from "./char-codes.js";
import { contextRules } from "./rules/context.js";
import { findInBase64, findInUrl } from "./encoded.js";
import { finderOf } from "./match-rules.js";
import { type Found, outsideMarks, united } from "./matches.js";
import { namedRules } from "./rules/named.js";
import { findPrinted } from "./printed.js";
import { positionIn, withoutSequences } from "./printed-views.js";
import type { Printing } from "./printing.js";
import { providerRules } from "./rules/provider.js";
import type { Rule } from "./rules/rule.js";
import { shellRules } from "./rules/shell.js";
import { moved, narrowed, standsInText } from "./wide.js";

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

/** What is known about a text besides what stands in it. */
export interface About {
  /** What the command prints that it is the output of, where that is a secret. */
  printing?: Printing | undefined;
  /** It is one window of a longer text. */
  isPart?: boolean;
  /** The same for the text without the zeros between its characters. */
  printingNarrowed?: Printing | undefined;
  /** Bytes in an unknown encoding: what is guessed from names counts only where the bytes around it are text. */
  isBytes?: boolean;
}

export interface Search {
  find(text: string, about?: About): readonly Found[];
  mode: Exclude<Mode, "off">;
}

const none: readonly Found[] = [];

/** Rules that guess from names: in bytes that are no text they would find something in any picture. */
const guesses = new Set(builtInRules.filter(({ isGuess }) => isGuess !== undefined).map(({ id }) => id));

/** Finds what stands in a text, and what a terminal shows of it: `"password"` and its value may each have a colour of their own. */
function shown(text: string, all: (text: string, depth: number) => readonly Found[]): readonly Found[] {
  const view = withoutSequences(text);
  const found = all(text, 0);
  if (view.map === undefined) return found;
  const mapped = all(view.text, 0).map(({ begin, pieces, ...one }) => ({
    ...one,
    pieces: pieces.map(({ from, to }) => ({
      from: positionIn(view, from),
      to: positionIn(view, to - 1) + 1,
    })),
    ...(begin === undefined ? {} : { begin: positionIn(view, begin) }),
  }));
  return mapped.length === 0 ? found : united(text, [...found, ...outsideMarks(mapped, text)]);
}

/** From left to right; nothing overlaps. */
export function searchOf({ mode, own, allow = [] }: RedactOptions): Search {
  const allowed = new Set(allow);
  const isAllowed = (secret: string): boolean => allowed.has(secret);
  const isStrict = mode === "strict";
  const findByRules = finderOf({
    rules: builtInRules.filter(({ strict }) => isStrict || strict !== true),
    strict: isStrict,
    allowed: isAllowed,
  });
  const all = (text: string, depth: number, isBytes = false): readonly Found[] => {
    if (text.length < 8) return none;
    const deeper = (inner: string): readonly Found[] => (depth < 2 ? all(inner, depth + 1) : none);
    const codes = depth === 0 ? sharedCodesOf(text) : codesOf(text);
    const byRules = findByRules(text, codes);
    const known = isBytes
      ? byRules.filter((one) => !guesses.has(one.rule) || standsInText(text, one))
      : byRules;
    const inUrl = text.includes("%") ? findInUrl(text, deeper) : none;
    const inBase64 = findInBase64(text, codes, deeper);
    const ours = own === undefined ? none : outsideMarks(own(text), text);
    // Most texts are short, and have nothing in them.
    if (known.length + inUrl.length + inBase64.length + ours.length === 0) return none;
    const allowedOurs = ours.filter(({ secret }) => !allowed.has(secret));
    return united(text, [...allowedOurs, ...known, ...inUrl, ...inBase64]);
  };
  const read = (text: string, { printing, isPart = false, isBytes = false }: About): readonly Found[] => {
    const found = isBytes || !text.includes("\u001b") ? all(text, 0, isBytes) : shown(text, all);
    if (printing === undefined) return found;
    const printed = findPrinted(text, printing, { isWhole: !isPart, isAllowed });
    return printed.length === 0 ? found : united(text, [...found, ...outsideMarks(printed, text)]);
  };
  const find = (text: string, about: About = {}): readonly Found[] => {
    const found = read(text, about);
    const narrow = narrowed(text);
    if (narrow === undefined) return found;
    const { printingNarrowed: printing, isPart = false } = about;
    const more = moved(read(narrow.text, { printing, isPart, isBytes: true }), narrow);
    return more.length === 0 ? found : united(text, [...found, ...more]);
  };
  return { find, mode };
}
