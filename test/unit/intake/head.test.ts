// The beginning of a log as a document that may be cut off anywhere, and as lines.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/base/json/value.js";
import { headOf, partialJson } from "../../../src/intake/head.js";

/** Returns JSON with all that may stand between its parts. */
function spaced(value: JsonValue, space: string): string {
  if (Array.isArray(value))
    return `${space}[${space}${value.map((item) => spaced(item, space)).join(",")}${space}]${space}`;
  if (typeof value !== "object" || value === null) return `${space}${JSON.stringify(value)}${space}`;
  const members = Object.entries(value).map(
    ([key, item]) => `${space}${JSON.stringify(key)}${space}:${spaced(item as JsonValue, space)}`,
  );
  return `${space}{${members.join(",")}${space}}${space}`;
}

const anySpace = fc.constantFrom("", " ", "\n", "\r\n\t");
const anyJson = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const anyKey = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", 'a"b', "\\"));

describe("a document that may be cut off", () => {
  it.each<[string, JsonValue | undefined]>([
    ['{"a":1,"b":[1,{"c":"d"', { a: 1, b: [1, { c: "d" }] }],
    ['{"a":1,"b":[1,{"c":"d', { a: 1, b: [1, {}] }],
    ['{"a":1,"b":12', { a: 1 }],
    ['{"a":1,"b":12,', { a: 1, b: 12 }],
    ['{"a":1,"b":tru', { a: 1 }],
    ['{"a":1,"b"', { a: 1 }],
    ['{"a":1,"b":', { a: 1 }],
    ['{"a":"x\\', {}],
    ['{"a":"x\\"', {}],
    ['{"a":"x\\u00', {}],
    ["{", {}],
    ["[", []],
    ["[[],[", [[], []]],
    ['"cut', undefined],
    ['"whole"', "whole"],
    ["", undefined],
    ["   ", undefined],
    ["plain text", undefined],
    ["<html>", undefined],
    ["\ufeff[1,2,", [1, 2]],
    ['{"a":1} {"b":2}', { a: 1 }],
    ["{\"a\":1,'b':2}", { a: 1 }],
    ['{"a":1,"b":NaN,"c":2}', { a: 1 }],
    ['{"a":"raw\nline"}', {}],
    ['{"a":-1.5e3,"b":null,"c":true,"d":false}', { a: -1500, b: null, c: true, d: false }],
    ['{"a":"é😀\\u00e9\\ud83d\\ude00\\n"}', { a: "é😀é😀\n" }],
  ])("partial JSON: as much of %j as is valid is read", (text, value) => {
    expect(partialJson(text)).toEqual(value);
  });

  it("partial JSON: a complete document is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(anyJson), fc.dictionary(anyKey, anyJson)), anySpace, (value, space) => {
        const text = spaced(value, space);
        expect(partialJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("partial JSON: every member that is complete before the cut is read", () => {
    fc.assert(
      fc.property(fc.dictionary(anyKey, anyJson), anySpace, fc.nat(), (object, space, at) => {
        const members = Object.entries(object).map(
          ([key, value]) => `${JSON.stringify(key)}${space}:${spaced(value, space)}`,
        );
        const text = `{${members.join(",")}}`;
        const cut = at % (text.length + 1);
        const found = partialJson(text.slice(0, cut)) as JsonObject | undefined;
        let end = 1;
        for (const [index, [key, value]] of Object.entries(object).entries()) {
          // With the comma after it: a number that ends with the text may have had more digits.
          end += (members[index] as string).length + 1;
          if (end > cut) break;
          expect(Object.hasOwn(found ?? {}, key), `${key} of ${text.slice(0, cut)}`).toBe(true);
          expect(Object.getOwnPropertyDescriptor(found, key)?.value).toEqual(
            JSON.parse(JSON.stringify(value)),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it("partial JSON: every item that is complete before the cut is read", () => {
    fc.assert(
      fc.property(fc.array(anyJson), fc.nat(), (list, at) => {
        const items = list.map((item) => JSON.stringify(item));
        const text = `[${items.join(",")}]`;
        const cut = 1 + (at % text.length);
        const found = partialJson(text.slice(0, cut)) as JsonValue[];
        let end = 1;
        const whole = items.filter((item) => (end += item.length + 1) <= cut);
        expect(found.slice(0, whole.length)).toEqual(JSON.parse(`[${whole.join(",")}]`));
      }),
      { numRuns: 500 },
    );
  });

  it("partial JSON: no text makes it throw", () => {
    const signs = fc.array(fc.constantFrom(...'{}[]":,\\ 1-.eatrufn\u0000\n\ud800'.split("")), {
      maxLength: 40,
    });
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      signs.map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(() => partialJson(text)).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });

  it("partial JSON: 100,000 levels do not overflow the stack", () => {
    const deep = '{"first":1,"deep":';
    expect(partialJson(`${deep}${"[".repeat(100_000)}`)).toMatchObject({ first: 1 });
    expect(partialJson(`${deep}${'{"a":'.repeat(100_000)}`)).toMatchObject({ first: 1 });
  });

  it("partial JSON: a string of many megabytes is read, complete or cut off", () => {
    for (const text of ["x".repeat(1 << 24), "\\n".repeat(1 << 23)]) {
      expect(Object.keys(partialJson(`{"a":1,"b":"${text}","c":2}`) as object)).toEqual(["a", "b", "c"]);
      expect(Object.keys(partialJson(`{"a":1,"b":"${text}`) as object)).toEqual(["a"]);
    }
  });
});

describe("the lines of a head", () => {
  it("log head: lines with an object are records, other lines are counted", () => {
    const head = headOf(Buffer.from('\ufeff{"a":1}\r\n\r\nnot JSON\n[1]\n{"b":2}\n{"cut":'), false);
    expect(head.records).toEqual([{ a: 1 }, { b: 2 }]);
    expect(head.otherLines).toBe(2);
    expect(head.document).toEqual({ a: 1 });
  });

  it("log head: the last line counts only if the head is all of the log", () => {
    expect(headOf(Buffer.from('{"a":1}\n{"b":2}'), true).records).toEqual([{ a: 1 }, { b: 2 }]);
    expect(headOf(Buffer.from('{"a":1}\n{"b":2}'), false).records).toEqual([{ a: 1 }]);
  });

  it("log head: at most 400 records are read", () => {
    expect(headOf(Buffer.from("{}\n".repeat(5000)), true).records.length).toBe(400);
  });

  it("log head: binary data and an empty log have no records", () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(1000), Buffer.alloc(1000, 0xff)])
      expect(headOf(bytes, true)).toMatchObject({ records: [], document: undefined });
  });
});
