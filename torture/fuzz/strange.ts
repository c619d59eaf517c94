// Values, keys, numbers and texts that no parser expects, which replace good ones.
import type { Random } from "../../dev/drift/random.js";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Written unchanged instead of a value: text that JSON.stringify would not write. */
export const rawValues: readonly string[] = [
  "1e999",
  "-1e999",
  "-0",
  "1E400000000",
  "123456789012345678901234567890",
  "0.1e-400",
  `0.${"1".repeat(5000)}`,
  "9".repeat(5000),
  "01",
  "+1",
  "NaN",
  "0x10",
  "'x'",
  "undefined",
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000\\u001b]0;x\\u0007"',
  '"\t"',
  '"\\x"',
  '"\u202eevil\u2066"',
  "[".repeat(300) + "]".repeat(300),
  "[".repeat(5000) + "]".repeat(5000),
  "[".repeat(60_000) + "]".repeat(60_000),
  '{"a":'.repeat(2000) + "1" + "}".repeat(2000),
  '{"a":'.repeat(40_000) + "1" + "}".repeat(40_000),
  "[".repeat(100_000),
  `[${"0,".repeat(50_000)}0]`,
  `{${Array.from({ length: 3000 }, (_, at) => `"k${at}":0`).join()}}`,
  '{"__proto__":{"a":1},"constructor":{"prototype":{}}}',
  '{"a":1,"a":2}',
  '{"toString":1,"valueOf":null,"length":-1,"then":{}}',
];

export const strangeTexts: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u001b[2J\u001b]0;owned\u0007",
  "\u009b31m",
  "\r\n\u2028\u2029",
  "\u202e\u2066\u200b\ufeff",
  "\ud800",
  "\u{e0041}\ufe0f\u0301",
  "../../../../etc/passwd",
  "/etc/passwd",
  "/dev/zero",
  "/dev/stdin",
  "..",
  ".",
  "-",
  "--help",
  "C:\\x\\..\\y",
  "file:///etc/passwd",
  "~/.ssh/id_rsa",
  ".ctx/config.json",
  "a/".repeat(3000),
  "x".repeat(70_000),
  "\u0301".repeat(5000),
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "%s%n%x",
  "$(id)`id`",
  "sha256:",
  `sha256:${"0".repeat(64)}`,
  `sha256:${"A".repeat(64)}`,
  `ctx://${"f".repeat(64)}`,
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:60.999999999999Z",
  "2026-02-30T25:00:00+99:99",
  "1e5",
  "NaN",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
  "*** Begin Patch\n*** Update File: ../x\n@@\n-a\n+b\n*** End Patch",
  "<environment_context>",
  "```".repeat(200),
  "[]",
  '{"a":',
  "null",
];

export const strangeValues: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e21,
  1e308,
  "",
  "x",
  [],
  {},
  [[[[]]]],
  [null, 1, "a", {}],
  { type: "text", text: 5 },
  { type: "tool_use", id: null, input: "x" },
  { constructor: 1, toString: 2 },
  { length: 3, 0: "a" },
  [{}, {}, {}],
  ...strangeTexts,
];

export const strangeKeys: readonly string[] = [
  "__proto__",
  "constructor",
  "toString",
  "then",
  "length",
  "",
  "\0",
  "\u001b[31m",
  "\u202e",
  "content_file",
  "type",
  "id",
  "content",
  "hash",
  "version",
  "k".repeat(3000),
];

/** Returns text with something wrong in it. */
export function brokenText(text: string, random: Random): Buffer {
  let made = text;
  for (let count = random.between(1, 3); count > 0; count--) {
    const at = random.between(0, made.length);
    const upTo = Math.min(made.length, at + random.logBetween(1, 40));
    const way = random.between(0, 6);
    const [before, middle, after] = [made.slice(0, at), made.slice(at, upTo), made.slice(upTo)];
    if (way === 0) made = before + after;
    else if (way === 1) made = before + middle.repeat(random.logBetween(2, 300)) + after;
    else if (way === 2) made = before + random.pick(strangeTexts) + after;
    else if (way === 3) made = before + String.fromCodePoint(random.between(0, 0x2fff)) + middle + after;
    else if (way === 4) made = before + middle.toUpperCase() + after;
    else if (way === 5) made = after + before;
    else made = before + random.pick("~^:@/\\\0\n\t -.*?#%{}[]\"'".split("")) + middle + after;
    if (made.length > 200_000) made = made.slice(0, 200_000);
  }
  return Buffer.from(made);
}
