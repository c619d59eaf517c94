// Finds the lines of a content that match what the user searches for. Texts are searched for as bytes, and regular
// expressions are run by RE2 in linear time, on the lines that hold a text which every match needs.
import { createRequire } from "node:module";
import type * as Re2 from "re2js";
import { CtxError } from "../base/errors.js";
import { analyse, type Needs, noNeeds } from "./expression.js";
import { Finder, type FinderOptions, type FoundText } from "./finder.js";
import { withoutQuotes } from "./pattern-characters.js";
import { type Line, LineCounter, type SearchedText } from "./text-lines.js";

/** What the user searches for: a line that matches one of the patterns. */
export interface SearchPattern {
  patterns: readonly string[];
  /** The patterns are texts, not regular expressions. */
  isFixed?: boolean;
  /** Ignore the case of ASCII letters. */
  ignoreCase?: boolean;
  /** Match whole words only. */
  isWord?: boolean;
}

/** Called with a line that matches, and where the first match in it begins and ends. Returns whether to go on. */
export type TakeLine = (line: Line, found: FoundText) => boolean;

export interface Matcher {
  needs: Needs;
  /** Passes on the lines that match, in order. All offsets are those of bytes. */
  matches(text: SearchedText, take: TakeLine): void;
}

/** Compiles a pattern; throws if there is none, or if RE2 refuses it. */
export function compileMatcher(pattern: SearchPattern): Matcher {
  const { patterns, isFixed = false, ignoreCase = false, isWord = false } = pattern;
  if (patterns.length === 0) throw new CtxError("usage", "there is no pattern to search for");
  for (const text of patterns) checkPattern(text);
  const isLiteral = isFixed || patterns.every((text) => !/[\\^$.|?*+()[\]{}]/.test(text));
  return isLiteral
    ? new LiteralMatcher(patterns, { ignoreCase, isWord })
    : new ExpressionMatcher(patterns, { ignoreCase, isWord });
}

function checkPattern(text: string): void {
  if (text === "") throw new CtxError("usage", "the pattern is empty, so every line would match");
  if (/[\n\r]/.test(text))
    throw new CtxError("usage", "the pattern contains a line break, and ctx grep searches line by line", {
      hint: "search for one of the lines",
    });
}

class LiteralMatcher implements Matcher {
  readonly needs: Needs;
  readonly #finder: Finder;

  constructor(texts: readonly string[], options: FinderOptions) {
    this.needs = texts.map((text) => [text]);
    this.#finder = new Finder(texts, options);
  }

  matches(text: SearchedText, take: TakeLine): void {
    const find = this.#finder.over(text);
    if (find === undefined) return;
    const lines = new LineCounter(text);
    for (let found = find(0); found !== undefined; ) {
      const line = lines.lineAt(found.start);
      if (!take(line, found)) return;
      found = find(line.next);
    }
  }
}

class ExpressionMatcher implements Matcher {
  readonly needs: Needs;
  readonly #expression: Re2.RE2JS;
  /** The same for a whole content: false means that no line matches. */
  readonly #anywhere: Re2.RE2JS | undefined;
  /** Finds lines with a text that every match needs, if there are such texts. */
  readonly #finder: Finder | undefined;
  readonly #isWord: boolean;

  constructor(patterns: readonly string[], { ignoreCase, isWord }: FinderOptions) {
    for (const source of patterns) compileExpression(source);
    const sources = patterns.map(withoutQuotes);
    const known = sources.map((source) => analyse(source));
    this.needs = known.some((each) => each === undefined)
      ? noNeeds
      : known.flatMap((each) => [...(each?.needs ?? noNeeds)]);
    const folded = sources.map((source, at) =>
      ignoreCase ? (known[at]?.folded ?? `(?i:${source})`) : source,
    );
    const all = folded.map((source) => `(?:${source})`).join("|");
    this.#isWord = isWord;
    this.#expression = compileExpression(isWord ? `(?:^|\\W)((?:${all}))(?:\\W|$)` : all);
    // \A and \z mean the ends of a line here, and would mean those of the content there; so would ^ and $ without the flag m.
    if (!/\\[Az]|\(\?[a-zA-Z]*-/.test(all))
      this.#anywhere = compileExpression(isWord ? `(?m)(?:^|\\W)(?:${all})(?:\\W|$)` : `(?m)(?:${all})`);
    const longest = this.needs.map((texts) =>
      texts.reduce((best, text) => (text.length > best.length ? text : best), ""),
    );
    if (longest.length > 0 && longest.every((text) => text.length > 1))
      this.#finder = new Finder(longest, { ignoreCase, isWord: false });
  }

  matches(text: SearchedText, take: TakeLine): void {
    const { bytes } = text;
    const find = this.#finder === undefined ? undefined : this.#finder.over(text);
    if (find === undefined && (this.#finder !== undefined || this.#canRuleOut(bytes))) return;
    const lines = new LineCounter(text);
    for (let at = 0; at < bytes.length; ) {
      const start = find === undefined ? at : find(at)?.start;
      if (start === undefined) return;
      const line = lines.lineAt(start);
      const found = this.#inLine(bytes.subarray(line.from, line.to), line.from);
      if (found !== undefined && !take(line, found)) return;
      at = line.next;
    }
  }

  /** Whether no line of a content can match. */
  #canRuleOut(bytes: Buffer): boolean {
    // Before a line feed, a carriage return is no part of a line here, and would be one there.
    return this.#anywhere !== undefined && !bytes.includes(0x0d) && !this.#anywhere.test(bytes);
  }

  #inLine(bytes: Buffer, from: number): FoundText | undefined {
    if (!this.#expression.test(bytes)) return undefined;
    const matcher = this.#expression.matcher(bytes);
    if (!matcher.find()) return undefined;
    const group = this.#isWord ? 1 : 0;
    return { start: from + matcher.start(group), end: from + matcher.end(group) };
  }
}

function compileExpression(source: string): Re2.RE2JS {
  const { RE2JS } = createRequire(import.meta.url)("re2js") as typeof Re2;
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CtxError("usage", `the pattern is not a regular expression that RE2 accepts: ${why}`, {
      hint: "search for it as it is with -F",
    });
  }
}
