import { describe, expect, it } from "vitest";
import { ExactInteger } from "../../../src/base/json/value.js";
import { pythonFields, pythonLiteral } from "../../../src/intake/python-literal.js";

describe("literals of Python", () => {
  it.each([
    [
      "{'a': 1, \"b\": [True, False, None], 'c': (1.5, -2e3)}",
      { a: 1, b: [true, false, null], c: [1.5, -2000] },
    ],
    ["'it\\'s'", "it's"],
    ['"it\'s"', "it's"],
    ["'a\\n\\t\\\\ \\x41\\u00e9\\U0001f600 \\q'", "a\n\t\\ A\u00e9\u{1f600} \\q"],
    ["{}", {}],
    ["()", []],
    ["[1, 2,]", [1, 2]],
    ["{1: 'x'}", { 1: "x" }],
    [" 'x' ", "x"],
    ["'\\ud800'", "\ufffd"],
  ])("Python literals: %s is read", (text, value) => {
    expect(pythonLiteral(text)).toEqual(value);
  });

  it("Python literals: integers keep all their digits", () => {
    expect(pythonLiteral("12345678901234567890")).toEqual(new ExactInteger("12345678901234567890"));
  });

  it("Python literals: __proto__ is an ordinary key", () => {
    expect(Object.keys(pythonLiteral("{'__proto__': {'x': 1}}") as object)).toEqual(["__proto__"]);
  });

  it.each([
    "",
    "x",
    "datetime.now()",
    "{'a': f(1)}",
    "{'a'}",
    "'open",
    "[1",
    "{'a': 1} b",
    "{[1]: 2}",
    "[".repeat(9999),
  ])("Python literals: %s is no literal", (text) => {
    expect(pythonLiteral(text)).toBeUndefined();
  });

  it("Python literals: pythonFields reads the fields of an object", () => {
    expect(pythonFields("content='it is so' name='look' tool_call_id='c1'")).toEqual({
      content: "it is so",
      name: "look",
      tool_call_id: "c1",
    });
    expect(pythonFields("content=f(x)")).toBeUndefined();
    expect(pythonFields("")).toBeUndefined();
  });
});
