// Records that others wrote: what is replaced, what is kept to the last digit, and what is stepped over.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalBytes } from "../../../src/base/json/canonical.js";
import { ExactInteger, type JsonObject, type JsonValue } from "../../../src/base/json/value.js";
import { Coverage } from "../../../src/intake/coverage.js";
import { parseValue, recordsOf } from "../../../src/intake/parse.js";
import { sourceOf } from "../../../src/intake/log-source.js";

/** Returns the value of a text or of bytes, and how many characters were replaced. */
function parsed(text: string | Buffer): { value: JsonValue | Error; replaced: number } {
  const coverage = new Coverage();
  const value = parseValue(Buffer.from(text as string), coverage);
  return { value, replaced: coverage.replaced };
}

/** Text, with numbers for bytes that are no text. */
function bytes(...parts: (string | number)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))),
  );
}

function records(text: string | Buffer): { read: [number, JsonObject][]; coverage: Coverage } {
  const coverage = new Coverage();
  const source = sourceOf([Buffer.from(text as string)], { name: "log" });
  return { read: [...recordsOf(source, coverage)].map(({ line, value }) => [line, value]), coverage };
}

describe("text", () => {
  it.each<[string, Buffer, string, number]>([
    ["a byte that never occurs", bytes('"a', 0xff, 'b"'), "a\ufffdb", 1],
    ["two bytes that never occur", bytes('"', 0xff, 0xfe, '"'), "\ufffd\ufffd", 2],
    ["a character that is cut off", bytes('"', 0xf0, 0x9f, 0x98, 'x"'), "\ufffdx", 1],
    ["a character in too many bytes", bytes('"', 0xc0, 0xaf, '"'), "\ufffd\ufffd", 2],
    ["half a pair as bytes", bytes('"', 0xed, 0xa0, 0x80, '"'), "\ufffd\ufffd\ufffd", 3],
    ["Latin-1", bytes('"caf', 0xe9, '"'), "caf\ufffd", 1],
    ["a bad byte beside U+FFFD", bytes('"\ufffd', 0xff, '\ufffd"'), "\ufffd\ufffd\ufffd", 1],
  ])("parse: %s: replaced with U+FFFD and counted", (_, input, value, replaced) => {
    expect(parsed(input)).toEqual({ value, replaced });
  });

  it("parse: a U+FFFD that the text has already is not counted as replaced", () => {
    expect(parsed('"\ufffd and \\ufffd"')).toEqual({ value: "\ufffd and \ufffd", replaced: 0 });
  });

  it.each<[string, string, JsonValue, number]>([
    ["the first half alone", '"a\\ud83db"', "a\ufffdb", 1],
    ["the second half alone", '"\\uDE00"', "\ufffd", 1],
    ["halves in the wrong order", '"\\ude00\\ud83d"', "\ufffd\ufffd", 2],
    ["a whole pair", '"\\ud83d\\ude00"', "😀", 0],
    ["a pair beside a half", '"\\ud83d\\ude00\\ud83d"', "😀\ufffd", 1],
    ["what only looks like a half", '"\\\\ud83d"', "\\ud83d", 0],
    ["halves in a list", '["\\ud800",["\\udc00"],1,null]', ["\ufffd", ["\ufffd"], 1, null], 2],
    ["a half in a key", '{"k\\ud800":{"\\udc00":"\\ud800"}}', { "k\ufffd": { "\ufffd": "\ufffd" } }, 3],
    ["a half beside U+FFFD", '"\\ud800\ufffd"', "\ufffd\ufffd", 1],
  ])(
    "parse: %s: exactly the halves of surrogate pairs are replaced and counted",
    (_, text, value, replaced) => {
      expect(parsed(text)).toEqual({ value, replaced });
    },
  );

  it("parse: halves of surrogate pairs are counted also in a record with large numbers", () => {
    const { value, replaced } = parsed('{"id":12345678901234567890,"text":"\\ud800"}');
    expect(value).toEqual({ id: new ExactInteger("12345678901234567890"), text: "\ufffd" });
    expect(replaced).toBe(1);
  });

  it("parse: escaped NUL and other control characters are kept", () => {
    expect(parsed('"a\\u0000b\\u001b"')).toEqual({ value: "a\0b\u001b", replaced: 0 });
    // JSON allows none of them as they are.
    expect(parsed('"a\0b"').value).toEqual(new Error("is not valid JSON"));
  });
});

describe("numbers", () => {
  it.each([
    "9007199254740993",
    "-9007199254740993",
    "1700000000123456789",
    "18446744073709551615",
    `1${"0".repeat(400)}`,
  ])("parse: a number past 2^53 keeps all its digits: %s", (digits) => {
    expect(parsed(`{"a":[{"id":${digits}}],"b":1}`)).toEqual({
      value: { a: [{ id: new ExactInteger(digits) }], b: 1 },
      replaced: 0,
    });
  });

  it("parse: numbers that a double holds are numbers", () => {
    const text = "[9007199254740991,-9007199254740991,1.5,1e300,1e20,0.1]";
    expect(parsed(text).value).toEqual([9007199254740991, -9007199254740991, 1.5, 1e300, 1e20, 0.1]);
  });

  it("parse: numbers past the range of a double are replaced and counted", () => {
    for (const number of ["1e400", "-1e400"]) {
      const { value, replaced } = parsed(`{"a":${number},"b":"kept","id":9007199254740993}`);
      expect(replaced).toBe(1);
      expect(value).toMatchObject({ b: "kept", id: new ExactInteger("9007199254740993") });
      // What no pack can hold must not get into one.
      expect(() => canonicalBytes(value as JsonValue)).not.toThrow();
    }
  });
});

describe("objects", () => {
  it("parse: the last value of a repeated key counts", () => {
    expect(parsed('{"a":1,"b":2,"a":3}')).toEqual({ value: { a: 3, b: 2 }, replaced: 0 });
    expect(parsed('{"a":1,"a":9007199254740993}').value).toEqual({ a: new ExactInteger("9007199254740993") });
  });

  it.each([
    ["alone", '{"__proto__":{"evil":true},"constructor":1}'],
    ["beside large numbers", '{"__proto__":{"evil":true},"constructor":9007199254740993}'],
    ["beside halves of pairs", '{"__proto__":{"evil":true},"constructor":"\\ud800"}'],
  ])("parse: a key __proto__ %s is an ordinary key", (_, text) => {
    const { value } = parsed(text);
    expect(Object.keys(value as JsonObject)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { evil?: boolean }).evil).toBeUndefined();
    expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toEqual({ evil: true });
  });

  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("parse: 100,000 levels of %s are refused with a message", (_, open, close) => {
    const text = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    expect(parsed(text).value).toEqual(new Error("is nested deeper than 900 levels"));
  });

  it("parse: 900 levels are read, whatever they contain", () => {
    for (const inner of ["1", "9007199254740993", '"\\ud800"']) {
      const { value } = parsed(`${"[".repeat(900)}${inner}${"]".repeat(900)}`);
      expect(Array.isArray(value)).toBe(true);
    }
  });
});

describe("any JSON", () => {
  it("parse: JSON is read as JSON.parse reads it, if a pack can hold it", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const expected = JSON.parse(text) as JsonValue;
        const { value, replaced } = parsed(text);
        fc.pre(!hasLargeInteger(expected));
        expect(value).toEqual(expected);
        expect(replaced).toBe(0);
      }),
    );
  });

  it("parse: any bytes are refused, or read as a value that a pack can hold", () => {
    fc.assert(
      fc.property(fc.json(), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), (text, changes) => {
        const input = Buffer.from(text);
        for (const [at, byte] of changes) if (input.length > 0) input[at % input.length] = byte;
        const { value } = parsed(input);
        fc.pre(!(value instanceof Error) && !hasInfinity(value));
        expect(() => canonicalBytes(value)).not.toThrow();
      }),
    );
  });
});

function hasLargeInteger(value: JsonValue): boolean {
  return some(value, (one) => typeof one === "number" && Number.isInteger(one) && !Number.isSafeInteger(one));
}

/** Numbers past a double have a test of their own. */
function hasInfinity(value: JsonValue | Error): boolean {
  return some(value as JsonValue, (one) => typeof one === "number" && !Number.isFinite(one));
}

function some(value: JsonValue, suits: (one: JsonValue) => boolean): boolean {
  if (suits(value)) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((inner: JsonValue) => some(inner, suits));
}

describe("records", () => {
  it("records: lines with an object are records, all other lines are damaged", () => {
    const { read, coverage } = records(
      '{"a":1}\nplain text\n[1]\n"text"\nnull\n12\n{"a":2}\n{"a":\n{"a":3}}\n{"a":4}\n',
    );
    expect(read).toEqual([
      [1, { a: 1 }],
      [7, { a: 2 }],
      [10, { a: 4 }],
    ]);
    expect(coverage.notices()).toMatchInlineSnapshot(`
      [
        "line 2: is not valid JSON; it is left out",
        "line 3: is no JSON object; it is left out",
        "line 4: is no JSON object; it is left out",
        "line 5: is no JSON object; it is left out",
        "line 6: is no JSON object; it is left out",
        "line 8: is not valid JSON; it is left out",
        "line 9: is not valid JSON; it is left out",
      ]
    `);
    expect(coverage.toJson([])).toMatchObject({ records: 3, damaged: { count: 7 } });
  });

  it("records: a last line that is cut off is reported as missing, not as damage", () => {
    const { read, coverage } = records('{"a":1}\n{"a":"cut o');
    expect(read).toEqual([[1, { a: 1 }]]);
    expect(coverage.notices()).toEqual(["its end is missing: it is still being written, or was cut off"]);
    expect(coverage.toJson([])).toEqual({ records: 1, captured: [], partial_last_line: true });
  });

  it("records: a last line without a line feed is a record if it is complete", () => {
    const { read, coverage } = records('{"a":1}\n{"a":2}');
    expect(read.length).toBe(2);
    expect(coverage.toJson([])).toEqual({ records: 2, captured: [] });
  });

  it("records: a last line that is cut off in the middle of a character is reported as missing", () => {
    const { read, coverage } = records(Buffer.from('{"a":1}\n{"a":"😀').subarray(0, -2));
    expect(read.length).toBe(1);
    expect(coverage.toJson([])).toMatchObject({ partial_last_line: true });
  });

  it("records: a record that is nested too deep is damaged, and the rest is read", () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const { read, coverage } = records(`{"a":1}\n${deep}\n{"a":2}\n`);
    expect(read.map(([line]) => line)).toEqual([1, 3]);
    expect(coverage.notices()).toEqual(["line 2: is nested deeper than 900 levels; it is left out"]);
  });

  it("records: CRLF and a BOM change nothing", () => {
    const plain = records('{"a":1}\n{"a":2}\n');
    const other = records('\ufeff{"a":1}\r\n\r\n{"a":2}\r\n');
    expect(other.read.map(([, value]) => value)).toEqual(plain.read.map(([, value]) => value));
    expect(other.coverage.toJson([])).toEqual(plain.coverage.toJson([]));
  });

  it("records: replaced characters are counted over all records", () => {
    const { coverage } = records(bytes('{"a":"', 0xff, '"}\n{"a":"\\ud800"}\n{"a":"\ufffd"}\n'));
    expect(coverage.toJson([])).toEqual({ records: 3, captured: [], replaced: 2 });
  });
});
