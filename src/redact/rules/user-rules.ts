// The user's own rules. RE2 runs their patterns in linear time, whatever the pattern: settings may come with
// a foreign store. RE2 is loaded only when there are such rules.
import { createRequire } from "node:module";
import type * as Re2 from "re2js";
import type { Match } from "../matches.js";
import { builtInRules } from "../scanner.js";

export interface OwnRule {
  id: string;
  /** In RE2 syntax. The group `secret` is redacted, or else the whole match. */
  pattern: string;
  /** The pattern is tried only on texts that contain one of these. */
  keywords?: string[];
}

/** Returns what is wrong with a rule, if anything. */
export function ruleProblem({ id, pattern }: OwnRule): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id))
    return "its id must be small letters, digits and dashes, 40 at most";
  if (builtInRules.some((rule) => rule.id === id)) return "there is a built-in rule with this id";
  try {
    if (compile(pattern).matches("")) return "its pattern matches the empty text";
    return undefined;
  } catch (error) {
    // Drops the part of the pattern that RE2 quotes: a rule may contain the secret that it redacts.
    const [why] = (error instanceof Error ? error.message : String(error)).split(/:? ?`/, 1);
    return `its pattern is not one that RE2 takes: ${why}`;
  }
}

/** Compiled patterns: a rule is first checked and then used. */
const compiledPatterns = new Map<string, Re2.RE2JS>();
const maxCompiled = 2000;

function compile(pattern: string): Re2.RE2JS {
  const known = compiledPatterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = (createRequire(import.meta.url)("re2js") as typeof Re2).RE2JS.compile(pattern);
  if (compiledPatterns.size >= maxCompiled) compiledPatterns.clear();
  compiledPatterns.set(pattern, compiled);
  return compiled;
}

/** Returns a function that finds the matches of these rules; undefined if there are none. */
export function ownFinder(rules: readonly OwnRule[]): ((text: string) => Match[]) | undefined {
  if (rules.length === 0) return undefined;
  const compiled = rules.map((rule) => ({ ...rule, re2: compile(rule.pattern) }));
  return (text) =>
    compiled.flatMap(({ id, keywords, re2 }) =>
      keywords === undefined || keywords.some((word) => text.includes(word)) ? finds(id, re2, text) : [],
    );
}

/** Shorter matches would be everywhere. */
const minSecretLength = 4;
/** Longer matches do not fit the overlap of windows; and more matches than this are not secrets. */
const maxSecretLength = 1 << 16;
const maxFinds = 1000;

function finds(rule: string, re2: Re2.RE2JS, text: string): Match[] {
  const found: Match[] = [];
  const group = re2.namedGroups()["secret"] ?? 0;
  const matcher = re2.matcher(text);
  while (found.length < maxFinds && matcher.find()) {
    const from = matcher.start(group);
    const to = matcher.end(group);
    const secret = from < 0 ? "" : text.slice(from, to);
    if (
      secret.length >= minSecretLength &&
      secret.length <= maxSecretLength &&
      !secret.includes("[REDACTED:")
    )
      found.push({ rule, secret, pieces: [{ from, to }] });
  }
  return found;
}
