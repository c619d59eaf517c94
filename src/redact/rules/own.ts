// The user's own rules. Their patterns are run by RE2, whose time grows with the text and with nothing else, whatever the pattern: settings
// may come with somebody else's store. It is loaded only when there are such rules.
import { createRequire } from "node:module";
import type * as Re2 from "re2js";
import type { Found } from "../matches.js";
import { builtInRules } from "../scanner.js";

export interface OwnRule {
  id: string;
  /** In the syntax of RE2. What the group `secret` holds is masked, or all of it. */
  pattern: string;
  /** The pattern is tried only on texts that hold one of these. */
  keywords?: string[];
}

/** What is wrong with a rule, if anything. */
export function ruleProblem({ id, pattern }: OwnRule): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id))
    return "its id must be small letters, digits and dashes, 40 at most";
  if (builtInRules.some((rule) => rule.id === id)) return "there is a built-in rule with this id";
  try {
    if (compile(pattern).matches("")) return "its pattern matches the empty text";
    return undefined;
  } catch (error) {
    // Without the part of the pattern that RE2 quotes: a rule may hold the secret that it masks.
    const [why] = (error instanceof Error ? error.message : String(error)).split(/:? ?`/, 1);
    return `its pattern is not one that RE2 takes: ${why}`;
  }
}

/** Compiled once: a rule is checked and then used. */
const compiledPatterns = new Map<string, Re2.RE2JS>();
const mostCompiled = 2000;

function compile(pattern: string): Re2.RE2JS {
  const known = compiledPatterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = (createRequire(import.meta.url)("re2js") as typeof Re2).RE2JS.compile(pattern);
  if (compiledPatterns.size >= mostCompiled) compiledPatterns.clear();
  compiledPatterns.set(pattern, compiled);
  return compiled;
}

/** Finds what these rules say; undefined when there are none. */
export function ownFinder(rules: readonly OwnRule[]): ((text: string) => Found[]) | undefined {
  if (rules.length === 0) return undefined;
  const compiled = rules.map((rule) => ({ ...rule, re2: compile(rule.pattern) }));
  return (text) =>
    compiled.flatMap(({ id, keywords, re2 }) =>
      keywords === undefined || keywords.some((word) => text.includes(word)) ? finds(id, re2, text) : [],
    );
}

/** Shorter ones would be found everywhere. */
const shortest = 4;
/** No window of a long text is larger; and more finds than this are no secrets. */
const longest = 1 << 16;
const mostFinds = 1000;

function finds(rule: string, re2: Re2.RE2JS, text: string): Found[] {
  const found: Found[] = [];
  const group = re2.namedGroups()["secret"] ?? 0;
  const matcher = re2.matcher(text);
  while (found.length < mostFinds && matcher.find()) {
    const from = matcher.start(group);
    const to = matcher.end(group);
    const secret = from < 0 ? "" : text.slice(from, to);
    if (secret.length >= shortest && secret.length <= longest && !secret.includes("[REDACTED:"))
      found.push({ rule, secret, pieces: [{ from, to }] });
  }
  return found;
}
