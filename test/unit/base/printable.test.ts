import { describe, expect, it } from "vitest";
import { printable, printableJson, printableLines } from "../../../src/base/printable.js";

/** Everything that may steer a terminal, reorder a line, or hide. */
const hostile = [
  Array.from({ length: 0x20 }, (_, code) => code),
  Array.from({ length: 0x21 }, (_, index) => 0x7f + index),
  [
    0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a,
    0x202b, 0x202c,
  ],
  [
    0x202d, 0x202e, 0x2060, 0x2061, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x206f, 0x3164, 0xfeff,
    0xffa0,
  ],
  [0xfff9, 0xfffb, 0xfe00, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef],
].flat();

describe("printable", () => {
  it.each(hostile)("printable: code point %i is shown as an escape", (code) => {
    const text = `a${String.fromCodePoint(code)}b`;
    expect(printable(text)).toBe(`a\\u{${code.toString(16)}}b`);
    const json = JSON.stringify(text);
    expect(JSON.parse(printableJson(json))).toBe(text);
    expect(printableJson(json)).toMatch(/^[\x20-\x7e]*$/);
  });

  it("printable: ordinary text of any script and emoji stay as they are", () => {
    const text = "naïve ümlaut 日本語 العربية עברית हिन्दी ✔️ 👍🏽 🇩🇪 e\u0301";
    expect(printable(text)).toBe(text);
    expect(printable("x\ufe0f")).toBe("x\\u{fe0f}");
  });

  it("printable: line feeds and tabs stay only in text of several lines", () => {
    expect(printableLines("a\tb\nc\r\u001b[31m")).toBe("a\tb\nc\\u{d}\\u{1b}[31m");
  });

  it("printable: lone surrogates are shown as escapes", () =>
    expect(printable("\ud800x")).toBe("\\u{d800}x"));

  it("printable: hostile text takes linear time", () => {
    const text = "\u001b[".repeat(500_000);
    expect(printable(text)).toHaveLength(500_000 * 7);
    // More places than one replacement of the engine can take, and characters at the seams of the pieces.
    expect(printable("\u0001".repeat(40_000_000))).toHaveLength(200_000_000);
    const seam = `${"a".repeat((1 << 20) - 1)}\u{1f600}\u200b${"b".repeat(1 << 20)}`;
    expect(printable(seam)).toBe(seam.replace("\u200b", "\\u{200b}"));
  });
});
