// Finds secrets in a text by all rules, both as written and decoded.
import { codesOf, sharedCodesOf } from "./char-codes.js";
import { announcedRules } from "./rules/announced.js";
import { callRules } from "./rules/calls.js";
import { clientPasswordRules } from "./rules/client-passwords.js";
import { commandLineRules } from "./rules/command-lines.js";
import { contextRules } from "./rules/context.js";
import { findInBase64, findInUrl } from "./encoded.js";
import { finderOf } from "./match-rules.js";
import { type Match, outsideMarks, united } from "./matches.js";
import { languageRules } from "./rules/languages.js";
import { moreProviderRules } from "./rules/more-providers.js";
import { namedRules } from "./rules/named.js";
import { findPrinted } from "./printed.js";
import { positionIn, withoutSequences } from "./printed-views.js";
import type { Printing } from "./printing.js";
import { providerRules } from "./rules/provider.js";
import type { SecretRule } from "./rules/rule.js";
import { shellRules } from "./rules/shell.js";
import { storedRules } from "./rules/stored.js";
import { strictRules } from "./rules/strict.js";
import { mapBack, narrowed, isInText } from "./wide.js";

/**
 * Version of the built-in rules: one version redacts the same everywhere. Any change of the set changes the
 * number.
 */
export const ruleSetVersion = 2;

/** The rules that every copy of this program has. */
export const builtInRules: readonly SecretRule[] = [
  ...providerRules,
  ...moreProviderRules,
  ...contextRules,
  ...shellRules,
  ...commandLineRules,
  ...namedRules,
  ...languageRules,
  ...callRules,
  ...clientPasswordRules,
  ...announcedRules,
  ...storedRules,
  ...strictRules,
];

export type Mode = "off" | "standard" | "strict";

export interface ScannerOptions {
  mode: Exclude<Mode, "off">;
  /** Finds matches of the user's own rules. */
  own?: ((text: string) => Match[]) | undefined;
  /** Texts that are never redacted. */
  allow?: readonly string[];
}

/** What is known context a text besides its characters. */
export interface ScanContext {
  /** What the command prints whose output the text is, if that is a secret. */
  printing?: Printing | undefined;
  /** The text is one window of a longer text. */
  isPart?: boolean;
  /** Like `printing`, for the text without the zeros between its characters. */
  printingNarrowed?: Printing | undefined;
  /**
   * The text is bytes in an unknown encoding: guesses from names count only where the bytes around them are
   * text.
   */
  isBytes?: boolean;
}

export interface Scanner {
  find(text: string, context?: ScanContext): readonly Match[];
  mode: Exclude<Mode, "off">;
}

const none: readonly Match[] = [];

/** Rules that guess from names: in binary data they would find something in any picture. */
const guesses = new Set(builtInRules.filter(({ isGuess }) => isGuess !== undefined).map(({ id }) => id));

/**
 * Finds matches in a text as written and as a terminal shows it: `"password"` and its value may each have a
 * colour of their own.
 */
function shown(text: string, all: (text: string, depth: number) => readonly Match[]): readonly Match[] {
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

/** Creates a scanner. Its matches are in order and do not overlap. */
export function createScanner({ mode, own, allow = [] }: ScannerOptions): Scanner {
  const allowed = new Set(allow);
  const isAllowed = (secret: string): boolean => allowed.has(secret);
  const isStrict = mode === "strict";
  const findByRules = finderOf({
    rules: builtInRules.filter(({ strict }) => isStrict || strict !== true),
    strict: isStrict,
    allowed: isAllowed,
  });
  const all = (text: string, depth: number, isBytes = false): readonly Match[] => {
    if (text.length < 8) return none;
    const deeper = (inner: string): readonly Match[] => (depth < 2 ? all(inner, depth + 1) : none);
    const codes = depth === 0 ? sharedCodesOf(text) : codesOf(text);
    const byRules = findByRules(text, codes);
    const known = isBytes ? byRules.filter((one) => !guesses.has(one.rule) || isInText(text, one)) : byRules;
    const inUrl = text.includes("%") ? findInUrl(text, deeper) : none;
    const inBase64 = findInBase64(text, codes, deeper);
    const ours = own === undefined ? none : outsideMarks(own(text), text);
    // Most texts are short and contain nothing.
    if (known.length + inUrl.length + inBase64.length + ours.length === 0) return none;
    const allowedOurs = ours.filter(({ secret }) => !allowed.has(secret));
    return united(text, [...allowedOurs, ...known, ...inUrl, ...inBase64]);
  };
  const read = (
    text: string,
    { printing, isPart = false, isBytes = false }: ScanContext,
  ): readonly Match[] => {
    const found = isBytes || !text.includes("\u001b") ? all(text, 0, isBytes) : shown(text, all);
    if (printing === undefined) return found;
    const printed = findPrinted(text, printing, { isWhole: !isPart, isAllowed });
    return printed.length === 0 ? found : united(text, [...found, ...outsideMarks(printed, text)]);
  };
  const find = (text: string, context: ScanContext = {}): readonly Match[] => {
    const found = read(text, context);
    const narrow = narrowed(text);
    if (narrow === undefined) return found;
    const { printingNarrowed: printing, isPart = false } = context;
    const more = mapBack(read(narrow.text, { printing, isPart, isBytes: true }), narrow);
    return more.length === 0 ? found : united(text, [...found, ...more]);
  };
  return { find, mode };
}
