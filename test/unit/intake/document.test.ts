// Documents as Python writes them, and such as were not written to their end.
import { describe, expect, it } from "vitest";
import { Coverage } from "../../../src/intake/coverage.js";
import { documentOf, parseLoosely } from "../../../src/intake/document.js";
import { sourceOf } from "../../../src/intake/log-source.js";

function parsed(text: string): { value: unknown; replaced: number } {
  const coverage = new Coverage();
  const value = parseLoosely(Buffer.from(text), coverage);
  return { value: value instanceof Error ? value.message : value, replaced: coverage.replaced };
}

function documentIn(text: string): { value: unknown; coverage: Record<string, unknown> } {
  const coverage = new Coverage();
  const value = documentOf(sourceOf([Buffer.from(text)], { name: "log" }), coverage);
  return { value, coverage: coverage.toJson([]) };
}

describe("numbers that JSON does not have", () => {
  it.each<[string, unknown, number]>([
    ['{"a":NaN,"b":[Infinity,-Infinity]}', { a: "NaN", b: ["Infinity", "-Infinity"] }, 3],
    ['{"NaN":"NaN and \\"NaN\\" Infinity"}', { NaN: 'NaN and "NaN" Infinity' }, 0],
    ['["\\\\",NaN,"\\"",NaN]', ["\\", "NaN", '"', "NaN"], 2],
    ["NaN", "NaN", 1],
    ['{"a":NaNa}', "is not valid JSON", 0],
    ['{"a":"NaN', "is not valid JSON", 0],
    ['{"a":NaN', "is not valid JSON", 0],
  ])("documents: %s is read with NaN and Infinity as text, or refused", (text, value, replaced) => {
    expect(parsed(text)).toEqual({ value, replaced });
  });

  it("documents: long texts with numbers that JSON does not have are refused", () => {
    for (const text of [`{"a":NaN,"b":"${'\\"'.repeat(2_000_000)}`, `[${"NaN,".repeat(500_000)}1`])
      expect(parsed(text)).toEqual({ value: "is not valid JSON", replaced: 0 });
  });
});

describe("documents that break off", () => {
  it("documents: a document that breaks off is read up to there, and coverage says so", () => {
    const { value, coverage } = documentIn('{"a":[1,{"b":"c"},{"d":"e');
    expect(value).toEqual({ a: [1, { b: "c" }, {}] });
    expect(coverage).toMatchObject({ partial_last_line: true });
  });

  it("documents: a document that breaks off may have NaN", () => {
    expect(documentIn('{"a":NaN,"b":2,"c":').value).toEqual({ a: "NaN", b: 2 });
  });

  it("documents: a complete document is read in full, without a BOM", () => {
    expect(documentIn('\ufeff{"a":1}')).toEqual({ value: { a: 1 }, coverage: { records: 0, captured: [] } });
  });

  it.each(["", "text", "7,", '"text'])("documents: %j is unreadable", (text) => {
    expect(() => documentIn(text)).toThrow(expect.objectContaining({ code: "log-unreadable" }));
  });
});
