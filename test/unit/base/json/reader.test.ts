import { describe, expect, it } from "vitest";
import { canonicalText } from "../../../../src/base/json/canonical.js";
import { CtxError } from "../../../../src/base/errors.js";
import { ExactInteger, type JsonValue } from "../../../../src/base/json/value.js";
import { JsonReader } from "../../../../src/base/json/reader.js";

function read(text: string | Buffer): JsonValue {
  const reader = new JsonReader(Buffer.from(text as string));
  const value = reader.value();
  reader.end();
  expect(reader.problems).toEqual([]);
  return value;
}

function problems(text: string): string[] {
  const reader = new JsonReader(Buffer.from(text));
  reader.value();
  reader.end();
  return reader.problems.map(({ path, message }) => `${path}: ${message}`);
}

function failure(text: string | Buffer): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof CtxError) return error.message;
    throw error;
  }
  throw new Error("it was read");
}

describe("JSON reader: values", () => {
  it.each([
    ["null", null],
    [" true ", true],
    ["[]", []],
    ["{}", {}],
    ['[1,[2,{"a":[]}]]', [1, [2, { a: [] }]]],
    ['"\\u0041\\n\\/\\""', 'A\n/"'],
    ['"\\ud83d\\ude00é😀"', "😀é😀"],
    ["\ufeff[1]", [1]],
  ])("JSON reader: %s is read", (text, value) => expect(read(text)).toEqual(value));

  it("JSON reader: integers keep every digit, other numbers are doubles", () => {
    expect(read("[9007199254740991,9007199254740993,-18446744073709551616,1e3,1.0,-0,-0.0,5e-324]")).toEqual([
      9007199254740991,
      new ExactInteger("9007199254740993"),
      new ExactInteger("-18446744073709551616"),
      1000,
      1,
      0,
      0,
      5e-324,
    ]);
    const digits = `1${"0123456789".repeat(2_000_000)}`;
    expect(canonicalText(read(digits))).toBe(digits);
  });

  it("JSON reader: __proto__ and similar keys are data", () => {
    const value = read('{"__proto__":{"x":1},"constructor":1,"toString":2,"hasOwnProperty":3}');
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor", "toString", "hasOwnProperty"]);
    expect(canonicalText(value)).toBe(
      '{"__proto__":{"x":1},"constructor":1,"hasOwnProperty":3,"toString":2}',
    );
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("JSON reader: text can be returned as bytes without making a string", () => {
    const reader = new JsonReader(Buffer.from('["a\\tb","plain","\\ud83d\\ude00"]'));
    const texts: string[] = [];
    reader.array(() => texts.push(reader.text().toString()));
    expect(texts).toEqual(["a\tb", "plain", "😀"]);
  });
});

describe("JSON reader: recoverable problems", () => {
  it.each([
    ['{"a":1,"a":2}', "a: the key occurs twice"],
    ['{"a":1,"\\u0061":2}', "a: the key occurs twice"],
    ['{"x":{"__proto__":1,"__proto__":2}}', "x.__proto__: the key occurs twice"],
    ['{"x":["\\ud800"]}', "x[0]: contains a lone surrogate, which is not a character"],
    ['{"x":"\\udfff tail"}', "x: contains a lone surrogate, which is not a character"],
    ['{"x":"\\ud800\\ud800\\udc00"}', "x: contains a lone surrogate, which is not a character"],
    ['{"a b":1e400}', '["a b"]: 1e400 is too large for a double'],
    ["[-1e400]", "[0]: -1e400 is too large for a double"],
  ])("JSON reader: the problem in %s is reported and reading goes on", (text, expected) =>
    expect(problems(text)).toEqual([expected]),
  );

  it("JSON reader: all recoverable problems of a document are reported", () => {
    expect(problems('{"a":"\\ud800","b":1e999,"a":1}')).toHaveLength(3);
  });
});

describe("JSON reader: fatal problems", () => {
  it.each([
    ["", "the document ends here (byte 0, line 1, column 1)"],
    ["[1,", "the document ends here (byte 3, line 1, column 4)"],
    ["[1 2]", '"," or "]" was expected here (byte 3, line 1, column 4)'],
    ["[1,]", "a value was expected here (byte 3, line 1, column 4)"],
    ["{\n  a:1}", "a key in double quotes was expected here (byte 4, line 2, column 3)"],
    ['{"a" 1}', '":" was expected here (byte 5, line 1, column 6)'],
    ["nul", "a value was expected here (byte 0, line 1, column 1)"],
    ["[NaN]", "a value was expected here (byte 1, line 1, column 2)"],
    ["[01]", "a number cannot start with 0 (byte 1, line 1, column 2)"],
    ["[1.]", "a digit was expected here (byte 3, line 1, column 4)"],
    ["[1e]", "a digit was expected here (byte 3, line 1, column 4)"],
    ["[-]", "a digit was expected here (byte 2, line 1, column 3)"],
    ['["a\nb"]', "a control character in a string must be escaped (byte 3, line 1, column 4)"],
    ['["\\x"]', "an unknown escape in a string (byte 2, line 1, column 3)"],
    ['["\\u12g4"]', "an unknown escape in a string (byte 2, line 1, column 3)"],
    ['["abc', "the document ends inside a string (byte 5, line 1, column 6)"],
    ["[1] x", "unexpected data after the end of the document (byte 4, line 1, column 5)"],
    ["[1]\n\n]", "unexpected data after the end of the document (byte 5, line 3, column 1)"],
  ])("JSON reader: %s is refused with its location", (text, expected) =>
    expect(failure(text)).toBe(`not valid JSON: ${expected}`),
  );

  it("JSON reader: invalid UTF-8 is refused with its position, and UTF-16 is named", () => {
    expect(failure(Buffer.from([0x22, 0x61, 0xff, 0x22]))).toContain("not valid UTF-8 (byte 2,");
    expect(failure(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toContain("not valid UTF-8 (byte 1,");
    expect(failure(Buffer.from([0x22, 0xc0, 0x80, 0x22]))).toContain("not valid UTF-8 (byte 1,");
    expect(failure(Buffer.from('{"a":1}', "utf16le"))).toContain("not valid JSON");
    expect(failure(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("{}", "utf16le")]))).toContain(
      "UTF-16",
    );
  });

  it("JSON reader: nesting stops at 1,000 levels, however deep the document is", () => {
    expect(read("[".repeat(1000) + "]".repeat(1000))).toBeInstanceOf(Array);
    for (const depth of [1001, 10_000, 5_000_000])
      expect(failure("[".repeat(depth))).toContain("nested more than 1,000 levels deep");
    expect(failure('{"a":'.repeat(1001))).toContain("nested more than 1,000 levels deep");
  });
});

/**
 * Read quickly, if it can be, because a document with a space in it is not canonical; and value by value,
 * because of another.
 */
function both(object: string): [JsonValue, JsonValue] {
  const slow = object.replace("{", "{ ");
  return [read(`[ ${object}]`), read(`[ ${slow}]`)];
}

/** Returns why a text is refused, without where. */
function refusal(text: string): string {
  return failure(text).replace(/ \(byte.*/, "");
}

describe("JSON reader: small plain objects", () => {
  it.each([
    '{"b":1,"a":[1,2.5,-3,1e-7,true,null,"x"],"c":{"d":{}}}',
    '{"a":"tab \\t, quote \\" and backslash \\\\"}',
    '{"2":1,"1":2}',
    '{"__proto__":{"x":1},"constructor":2}',
    '{"a":9007199254740991,"b":9007199254740992,"c":9007199254740993,"d":12345678901234567890}',
    '{"a":-0,"b":1.0,"c":1e2,"d":0.1234567890123456789,"e":1e21}',
    '{"a":"\\u00e9 é \ud83d\ude00","b":"\\/"}',
    `{"a":"${"x".repeat(2000)}"}`,
    `{"a":${"[".repeat(30)}1${"]".repeat(30)}}`,
  ])("JSON reader: the object %s reads the same whole and value by value", (object) => {
    const [quick, slow] = both(object);
    expect(canonicalText(quick)).toBe(canonicalText(slow));
    expect(quick).toEqual(slow);
    expect(Object.keys((quick as [object])[0])).toEqual(Object.keys((slow as [object])[0]));
  });

  it.each(['{"a":1,"a":1}', '{"a":{"b":1,"b":2}}', '{"a":"\\ud800"}'])(
    "JSON reader: a duplicate key or half a character is a problem in a small object: %s",
    (object) => {
      expect(problems(`[ ${object}]`)).toEqual(problems(`[ ${object.replace("{", "{ ")}]`));
      expect(problems(`[ ${object}]`)).toHaveLength(1);
    },
  );

  it.each(['{"a":01}', '{"a":tru}', '{"a":1,}', '{"a" 1}', '{"a":"x'])(
    "JSON reader: a syntax error in a small object is the same as in a large one: %s",
    (object) => {
      expect(refusal(`[ ${object}]`)).toBe(refusal(`[ ${object.replace("{", "{ ")}]`));
    },
  );
});
