// Finds the lines of a content that match what the user searches for. Texts are searched for as bytes, and regular
// expressions are run by RE2 in linear time, on the lines that hold a text which every match needs. Lines end with
// a line feed; a carriage return before it is no part of them.
import { createRequire } from "node:module";
import type * as Re2 from "re2js";
import { CtxError } from "../base/errors.js";
import { analyse, type Needs, noNeeds, quote } from "./expression.js";

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

/** A line that matches; offsets are those of bytes. */
export interface LineMatch {
  /** From 1. */
  line: number;
  /** Where the line begins and ends. */
  from: number;
  to: number;
  /** Where the first match in it begins and ends. */
  start: number;
  end: number;
}

export interface Matcher {
  needs: Needs;
  /** Returns whether a line matches. */
  test(bytes: Buffer): boolean;
  /** Yields the lines that match, in order. */
  matches(bytes: Buffer): Generator<LineMatch>;
}

/** Compiles a pattern; throws if there is none, or if RE2 refuses it. */
export function compileMatcher(pattern: SearchPattern): Matcher {
  const { patterns, isFixed = false, ignoreCase = false, isWord = false } = pattern;
  if (patterns.length === 0) throw new CtxError("usage", "there is no pattern to search for");
  for (const text of patterns) checkPattern(text);
  const isLiteral = isFixed || patterns.every((text) => !/[\\^$.|?*+()[\]{}]/.test(text));
  if (isLiteral) return new LiteralMatcher(patterns, { ignoreCase, isWord });
  return new ExpressionMatcher(
    patterns.map((text) => (isFixed ? quote(text) : text)),
    { ignoreCase, isWord },
  );
}

function checkPattern(text: string): void {
  if (text === "") throw new CtxError("usage", "the pattern is empty, so every line would match");
  if (/[\n\r]/.test(text))
    throw new CtxError("usage", "the pattern contains a line break, and ctx grep searches line by line", {
      hint: "search for one of the lines",
    });
}

interface Manner {
  ignoreCase: boolean;
  isWord: boolean;
}

class LiteralMatcher implements Matcher {
  readonly needs: Needs;
  readonly #finder: Finder;
  readonly #isWord: boolean;

  constructor(texts: readonly string[], { ignoreCase, isWord }: Manner) {
    this.needs = texts.map((text) => [text]);
    this.#finder = new Finder(texts, ignoreCase);
    this.#isWord = isWord;
  }

  test(bytes: Buffer): boolean {
    return !this.matches(bytes).next().done;
  }

  *matches(bytes: Buffer): Generator<LineMatch> {
    const found = this.#finder.over(bytes);
    const lines = new LineCounter(bytes);
    for (let at = 0; ; ) {
      const place = found(at);
      if (place === undefined) return;
      const { start, end } = place;
      if (this.#isWord && (isWordByte(bytes[start - 1]) || isWordByte(bytes[end]))) {
        at = start + 1;
        continue;
      }
      const { line, from, to, next } = lines.lineAt(start);
      yield { line, from, to, start, end };
      at = next;
    }
  }
}

class ExpressionMatcher implements Matcher {
  readonly needs: Needs;
  readonly #expression: Re2.RE2JS;
  /** The same, for a whole content, as far as it can be: false means that no line matches. */
  readonly #anywhere: Re2.RE2JS | undefined;
  /** Finds lines with a text that every match needs, if there are such texts. */
  readonly #finder: Finder | undefined;
  readonly #isWord: boolean;

  constructor(sources: readonly string[], { ignoreCase, isWord }: Manner) {
    for (const source of sources) compileExpression(source);
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
    // \A and \z mean the ends of a line here, and would mean those of the content there.
    if (!/\\[AzQ]/.test(all))
      this.#anywhere = compileExpression(isWord ? `(?m)(?:^|\\W)(?:${all})(?:\\W|$)` : `(?m)(?:${all})`);
    const longest = this.needs.map((texts) =>
      texts.reduce((best, text) => (text.length > best.length ? text : best), ""),
    );
    if (longest.length > 0 && longest.every((text) => text.length > 1))
      this.#finder = new Finder(longest, ignoreCase);
  }

  test(bytes: Buffer): boolean {
    return !this.matches(bytes).next().done;
  }

  *matches(bytes: Buffer): Generator<LineMatch> {
    const lines = new LineCounter(bytes);
    const found = this.#finder?.over(bytes);
    if (found === undefined && this.#anywhere?.test(bytes) === false) return;
    for (let at = 0; at < bytes.length; ) {
      const start = found === undefined ? at : found(at)?.start;
      if (start === undefined) return;
      const line = lines.lineAt(start);
      const place = this.#inLine(bytes, line);
      if (place !== undefined) yield { line: line.line, from: line.from, to: line.to, ...place };
      at = line.next;
    }
  }

  #inLine(
    bytes: Buffer,
    { from, to }: { from: number; to: number },
  ): { start: number; end: number } | undefined {
    for (let at = from; ; at += windowSize) {
      const until = Math.min(to, at + windowSize + overlap);
      const window = bytes.subarray(at, until);
      if (this.#expression.test(window)) {
        const text = window.toString("utf8");
        const matcher = this.#expression.matcher(text);
        if (matcher.find()) {
          const group = this.#isWord ? 1 : 0;
          const start = at + Buffer.byteLength(text.slice(0, matcher.start(group)));
          const end = start + Buffer.byteLength(text.slice(matcher.start(group), matcher.end(group)));
          // Bytes that are not UTF-8 take three bytes in the text.
          return { start: Math.min(start, to), end: Math.min(end, to) };
        }
      }
      if (until >= to) return undefined;
    }
  }
}

/** Longer lines are searched piece by piece; a match that is longer than the overlap may be missed at a border. */
const windowSize = 1 << 20;
const overlap = 1 << 16;

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

/** Returns the first place of a text at or after an offset. */
type Find = (from: number) => { start: number; end: number } | undefined;

/** Finds texts among bytes. */
class Finder {
  readonly #texts: readonly Buffer[];
  readonly #ignoreCase: boolean;

  constructor(texts: readonly string[], ignoreCase: boolean) {
    this.#ignoreCase = ignoreCase;
    this.#texts = texts.map((text) => {
      const bytes = Buffer.from(text);
      return ignoreCase ? lowerCase(bytes) : bytes;
    });
  }

  over(bytes: Buffer): Find {
    const searched = this.#ignoreCase ? lowerCase(bytes) : bytes;
    // Where each text occurs next, so that a frequent text does not have a rare one searched for again and again.
    const nexts = this.#texts.map(() => -1);
    return (from) => {
      let best: { start: number; end: number } | undefined;
      for (const [at, text] of this.#texts.entries()) {
        let next = nexts[at] as number;
        if (next < from) {
          const found = searched.indexOf(text, from);
          next = found === -1 ? Number.POSITIVE_INFINITY : found;
          nexts[at] = next;
        }
        if (next !== Number.POSITIVE_INFINITY && (best === undefined || next < best.start))
          best = { start: next, end: next + text.length };
      }
      return best;
    };
  }
}

/** Returns a copy with ASCII letters in lower case. */
export function lowerCase(bytes: Buffer): Buffer {
  const lower = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    lower[at] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
  }
  return lower;
}

function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isLetter || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Numbers lines while a content is read from its beginning to its end. */
class LineCounter {
  readonly #bytes: Buffer;
  #line = 1;
  #from = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Returns the line with a byte at or after the last one that was asked for, and where the next line begins. */
  lineAt(offset: number): { line: number; from: number; to: number; next: number } {
    let end = this.#bytes.indexOf(lineFeed, this.#from);
    while (end !== -1 && end < offset) {
      this.#line++;
      this.#from = end + 1;
      end = this.#bytes.indexOf(lineFeed, this.#from);
    }
    const to = end === -1 ? this.#bytes.length : end;
    const isReturned = to > this.#from && this.#bytes[to - 1] === carriageReturn;
    return { line: this.#line, from: this.#from, to: isReturned ? to - 1 : to, next: to + 1 };
  }
}
