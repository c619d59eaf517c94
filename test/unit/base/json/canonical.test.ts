import { describe, expect, it } from "vitest";
import { canonicalBytes, canonicalText } from "../../../../src/base/json/canonical.js";
import { ExactInteger } from "../../../../src/base/json/value.js";

/** Returns the same in the simplest way. */
function plainly(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainly).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${plainly(member)}`).join(",")}}`;
}

describe("canonical JSON", () => {
  // The number samples of RFC 8785, appendix B: the bits of a double and how it is written.
  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("canonical JSON: the double %s is written as ECMAScript writes it", (bits, text) => {
    expect(canonicalText(Buffer.from(bits, "hex").readDoubleBE())).toBe(text);
  });

  it("canonical JSON: members are sorted in every object, whatever their names and number", () => {
    const values: unknown[] = [
      { b: 1, a: { d: [{ z: 1, y: 2 }], c: "x" } },
      { 10: "a", 9: "b", "-1": "c", A: 1, " ": 2 },
      JSON.parse('{"__proto__":{"b":1,"a":2},"Z":[],"\u20ac":{}}'),
      { toJSON: "no function", b: undefined, a: null },
      { b: "x".repeat(10_000), a: Array.from({ length: 3000 }, (_, at) => ({ n: at, m: [at] })) },
      [{ b: 1, a: -0 }, [[{ y: true, x: false }]]],
    ];
    for (const value of values) expect(canonicalText(value)).toBe(plainly(value));
  });

  it("canonical JSON: a value that is no JSON number is refused", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, [undefined], () => 1, 1n])
      expect(() => canonicalText(value)).toThrow(TypeError);
  });

  it("canonical JSON: integers beyond 2^53 are written digit by digit", () => {
    expect(
      canonicalText([
        new ExactInteger("123456789012345678901234567890"),
        new ExactInteger("-9007199254740993"),
      ]),
    ).toBe("[123456789012345678901234567890,-9007199254740993]");
  });

  it("canonical JSON: keys are sorted by UTF-16 code units, and only the required escapes are written", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    expect(canonicalText(value)).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    );
    expect(canonicalText('\b\t\n\f\r\u0000\u001f"\\/\u007f\u2028é😀')).toBe(
      '"\\b\\t\\n\\f\\r\\u0000\\u001f\\"\\\\/\u007f\u2028é😀"',
    );
  });

  it("canonical JSON: members without a value are left out, and output may exceed one string", () => {
    expect(canonicalText({ b: undefined, a: [] })).toBe('{"a":[]}');
    const many = Array.from({ length: 50_000 }, (_, index) => ({ index, text: "é".repeat(10) }));
    expect(JSON.parse(canonicalBytes(many).toString())).toEqual(many);
  });
});
