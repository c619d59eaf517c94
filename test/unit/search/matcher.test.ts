// The lines of a content that match, at all the places where a search may go wrong.
import { describe, expect, it } from "vitest";
import { compileMatcher, type SearchPattern } from "../../../src/search/matcher.js";
import { scanBytes } from "../../../src/search/scan-contents.js";

type Options = Omit<SearchPattern, "patterns">;

/** Returns `line:column` of each line that matches. */
function places(content: string | Buffer, pattern: string | string[], options: Options = {}): string[] {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const matcher = compileMatcher({ patterns: [pattern].flat(), ...options });
  return scanBytes(bytes, matcher, { context: 0, most: 1e6 }).hits.map(
    ({ line, column }) => `${line}:${column}`,
  );
}

function first(content: string | Buffer, pattern: string, options: Options = {}) {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const matcher = compileMatcher({ patterns: [pattern], ...options });
  return scanBytes(bytes, matcher, { context: 0, most: 1 }).hits[0];
}

describe("the lines that match", () => {
  it("grep: a match at offset 0 and at the end of a content without a line feed is found", () => {
    expect(places("foo\nbar\nfoo", "foo", { isFixed: true })).toEqual(["1:1", "3:1"]);
    expect(places("foo\nbar\nfoo", "fo+$")).toEqual(["1:1", "3:1"]);
    expect(places("", "x*")).toEqual([]);
    expect(places("\n\n", "^$")).toEqual(["1:1", "2:1"]);
  });

  it("grep: a carriage return before a line feed is no part of the line", () => {
    expect(places("12\r\n34\r5\r\n", "[0-9]$")).toEqual(["1:2", "2:4"]);
    expect(places("12\r\n34\r5\r\n", "[0-9]{2}$")).toEqual(["1:1"]);
    expect(places("12\r\n", "\\r")).toEqual([]);
    expect(first("a foo\r\n", "foo")).toMatchObject({ text: "a foo" });
  });

  it("grep: no flag in a pattern makes ^ and $ lose a line", () => {
    expect(places("a\n1\n2\n", "(?-m)^[0-9]$")).toEqual(["2:1", "3:1"]);
    expect(places("a\n1\n2\n", "(?s-m:^[0-9]$)")).toEqual(["2:1", "3:1"]);
    expect(places("a\n1\n", "\\A[0-9]\\z")).toEqual(["2:1"]);
  });

  it("grep: only ASCII letters have another case", () => {
    const text = "kelvin\n\u212Aelvin\nKELVIN\n\u017Fhort\nshort\nSHORT\ncaf\u00e9\nCAF\u00c9\n\u0130x\nix\n";
    for (const isFixed of [true, false]) {
      expect(places(text, "kelvin", { ignoreCase: true, isFixed })).toEqual(["1:1", "3:1"]);
      expect(places(text, "SHORT", { ignoreCase: true, isFixed })).toEqual(["5:1", "6:1"]);
      expect(places(text, "CAF\u00c9", { ignoreCase: true, isFixed })).toEqual(["8:1"]);
    }
    expect(places(text, "[k]elv.n", { ignoreCase: true })).toEqual(["1:1", "3:1"]);
    expect(places(text, "^[r-t]hort", { ignoreCase: true })).toEqual(["5:1", "6:1"]);
    expect(places(text, "^\\Qshort\\E", { ignoreCase: true })).toEqual(["5:1", "6:1"]);
    expect(places(text, "^\\x73HOR\\124", { ignoreCase: true })).toEqual(["5:1", "6:1"]);
    expect(places(text, "^\\p{Lu}elvi[[:lower:]]", { ignoreCase: true })).toEqual(["1:1", "2:1", "3:1"]);
  });

  it("grep: -w finds the longer of two texts that begin alike, and later words of a line", () => {
    expect(places("foobar\n", ["foo", "foobar"], { isFixed: true, isWord: true })).toEqual(["1:1"]);
    expect(places("foobar foo\n", "foo", { isFixed: true, isWord: true })).toEqual(["1:8"]);
    expect(places("foobar fooo\n", "fo+", { isWord: true })).toEqual(["1:8"]);
    expect(places("foo_ _foo foo1\n", "foo", { isFixed: true, isWord: true })).toEqual([]);
    expect(places("\u00e9foo\u00e9\n", "foo", { isFixed: true, isWord: true })).toEqual(["1:2"]);
    expect(places("aa aa\n", "a", { isFixed: true, isWord: true })).toEqual([]);
  });

  it("grep: what repeats an empty quotation repeats the character before it", () => {
    expect(places("b\n", "a\\Q\\E*b")).toEqual(["1:1"]);
    expect(places("a.b\nacb\n", "\\Qa.b")).toEqual(["1:1"]);
    expect(places("a.b\nc\n", ["\\Qa.b", "c$"])).toEqual(["1:1", "2:1"]);
    expect(places("a\\Eb\n", "a\\\\E")).toEqual(["1:1"]);
  });

  it("grep: columns count the characters that are shown, also behind bytes that are no UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x80, 0xe2, 0x82]), Buffer.from("é😀 foo\n")]);
    for (const pattern of ["foo", "fo+"]) {
      const found = first(bytes, pattern);
      expect(found?.text.slice(found.match.at, found.match.at + found.match.length)).toBe("foo");
      expect(found?.column).toBe(Array.from((found?.text ?? "").slice(0, found?.match.at)).length + 1);
    }
  });

  it("grep: a long line is cut around the match, and never into the line before", () => {
    const bytes = Buffer.concat([Buffer.from("first\n"), Buffer.alloc(3000, 0x80), Buffer.from("\nlast\n")]);
    expect(first(bytes, "\\x{FFFD}")?.text).not.toContain("\n");
    const long = `head\n${"x".repeat(5000)}foo${"é".repeat(5000)}\n`;
    expect(first(long, "foo")).toMatchObject({ line: 2, column: 5001, isCut: true });
  });

  it("grep: a line of megabytes has one beginning and one end", () => {
    const line = `${"foo ".repeat(700_000)}end`;
    expect(places(`x\n${line}\ny`, "^foo")).toEqual(["2:1"]);
    expect(places(`x\n ${line}\ny`, "^foo")).toEqual([]);
    expect(places(`x\n${line}\ny`, "foo$")).toEqual([]);
    expect(places(`x\n${line}\ny`, "(?:foo )+end$")).toEqual(["2:1"]);
    expect(places(`x\n${line}\ny`, "\\bend")).toEqual(["2:2800001"]);
  });

  it("grep: matches across the borders of reading are found", () => {
    for (const size of [1 << 16, 1 << 18, 1 << 20])
      for (const shift of [-3, -1, 0, 1]) {
        const text = `${"y".repeat(size + shift - 1)}\nneedle\n`;
        expect(places(text, "needle", { isFixed: true })).toEqual(["2:1"]);
      }
  });

  it("grep: binary contents are reported without a text", () => {
    const bytes = Buffer.from("a\0b\nsecret foo\nfoo\n");
    expect(first(bytes, "foo")).toMatchObject({ line: 0, column: 0, text: "", isBinary: true });
    expect(places(bytes, "foo")).toEqual(["0:0"]);
    // git looks at the first 8,000 bytes, too.
    expect(places(Buffer.from(`${"z".repeat(8000)}\0\nfoo`), "foo")).toEqual(["2:1"]);
  });

  it("grep: an expression that takes others exponential time is searched for in linear time", () => {
    const bytes = Buffer.from(`${"a".repeat(10_000_000)}b`);
    expect(places(bytes, "(a+)+$")).toEqual([]);
    expect(places(bytes, "(a|aa)+c")).toEqual([]);
  }, 120_000);
});
