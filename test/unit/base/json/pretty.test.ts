import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ExactInteger, type JsonValue } from "../../../../src/base/json/value.js";
import { JsonReader } from "../../../../src/base/json/reader.js";
import { prettyBytes } from "../../../../src/base/json/pretty.js";

it("pretty JSON: the text is that of JSON.stringify where that can write the value", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: fc.constantFrom("a", '"', "\\", "\n", "\u001f") }), (text) => {
      const value = JSON.parse(text) as JsonValue;
      expect(prettyBytes(value).toString()).toBe(`${JSON.stringify(value, null, 2)}\n`);
    }),
  );
});

it("pretty JSON: large integers keep their digits, and terminal control characters are escaped", () => {
  const value = { "k\u202e": [new ExactInteger("123456789012345678901234567890"), "\u009b", {}, []] };
  const bytes = prettyBytes(value);
  expect(bytes.toString()).toBe(
    '{\n  "k\\u202e": [\n    123456789012345678901234567890,\n    "\\u009b",\n    {},\n    []\n  ]\n}\n',
  );
  expect(new JsonReader(bytes).value()).toEqual(value);
});

it("pretty JSON: a large document is written in pieces without a loss", () => {
  const value = Array.from({ length: 20_000 }, (_, at) => ({ at, text: at % 7 === 0 ? "\u202e" : "plain" }));
  expect(JSON.parse(prettyBytes(value).toString())).toEqual(value);
});
