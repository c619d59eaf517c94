import { describe, expect, it } from "vitest";
import { canonicalText } from "../../../src/base/json/canonical.js";
import { ExactInteger, type JsonObject } from "../../../src/base/json/value.js";
import { JsonReader } from "../../../src/base/json/reader.js";
import { valueChanges } from "../../../src/diff/values.js";

/** As manifests are read: with integers of any size, and every key as data. */
function parse(text: string): JsonObject {
  return new JsonReader(Buffer.from(text)).value() as JsonObject;
}

function paths(a: JsonObject, b: JsonObject): string[] {
  return valueChanges(a, b).map(({ path }) => path);
}

const deep = (leaf: string): JsonObject => parse(`${'{"a":'.repeat(998)}${leaf}${"}".repeat(998)}`);

const repeated = (value: number): JsonObject => ({ list: Array.from({ length: 1000 }, () => value) });

describe("changed values", () => {
  it("changed values: equal objects have none, whatever the order of their keys", () => {
    expect(valueChanges({}, {})).toEqual([]);
    expect(valueChanges({ a: 1, b: { c: [null, 1.5] } }, { b: { c: [null, 1.5] }, a: 1 })).toEqual([]);
    expect(valueChanges(parse('{"a":1.0}'), parse('{"a":1e0}'))).toEqual([]);
  });

  it("changed values: each has its path and both values", () => {
    expect(valueChanges({ a: { b: [1, { c: "x" }] }, d: 1 }, { a: { b: [1, { c: "y" }] }, d: 1 })).toEqual([
      { path: "$.a.b[1].c", pack_a: "x", pack_b: "y" },
    ]);
  });

  it("changed values: they are in the order of their paths", () =>
    expect(paths({ b: 1, a: { z: 1, y: [1, 2] } }, { a: { y: [2, 1], z: 2 }, b: 2 })).toEqual([
      "$.a.y[0]",
      "$.a.y[1]",
      "$.a.z",
      "$.b",
    ]));

  it("changed values: a missing side is marked; null is a value", () => {
    expect(valueChanges({ gone: null, here: 1 }, { here: 1, fresh: [] })).toEqual([
      { path: "$.fresh", pack_a: null, pack_b: [], absent: "a" },
      { path: "$.gone", pack_a: null, pack_b: null, absent: "b" },
    ]);
    expect(valueChanges({ a: null }, { a: 1 })).toEqual([{ path: "$.a", pack_a: null, pack_b: 1 }]);
  });

  it("changed values: arrays of different length differ in the extra items", () =>
    expect(valueChanges({ a: [1, 2] }, { a: [1, 2, { b: 3 }] })).toEqual([
      { path: "$.a[2]", pack_a: null, pack_b: { b: 3 }, absent: "a" },
    ]));

  it("changed values: values of different kinds differ as a whole", () => {
    expect(valueChanges({ a: [1] }, { a: { 0: 1 } })).toEqual([
      { path: "$.a", pack_a: [1], pack_b: { 0: 1 } },
    ]);
    expect(valueChanges({ a: "1" }, { a: 1 })).toEqual([{ path: "$.a", pack_a: "1", pack_b: 1 }]);
    expect(valueChanges({ a: [] }, { a: {} })).toHaveLength(1);
    expect(valueChanges({ a: 1 }, { a: true })).toHaveLength(1);
  });

  it("changed values: odd keys have a path that can be parsed", () => {
    const keys = ["", "a b", "a.b", 'q"', "7", "a-b", "\n", "é", "$", "a[0]", "'"];
    for (const key of keys) {
      const [path] = paths({ [key]: 1 }, { [key]: 2 });
      expect(path).toBe(`$[${JSON.stringify(key)}]`);
    }
    expect(paths({ _a1: 1 }, { _a1: 2 })).toEqual(["$._a1"]);
  });

  it("changed values: integers beyond 2^53 are compared digit by digit", () => {
    const [a, b] = [parse('{"n":9007199254740993,"m":[1]}'), parse('{"n":9007199254740992,"m":[1]}')];
    expect(valueChanges(a, a)).toEqual([]);
    expect(valueChanges(a, parse('{"n":9007199254740993,"m":[1]}'))).toEqual([]);
    const [change] = valueChanges(a, b);
    expect(change?.path).toBe("$.n");
    expect(change?.pack_a).toEqual(new ExactInteger("9007199254740993"));
    expect(canonicalText(change?.pack_b)).toBe("9007199254740992");
    expect(valueChanges({ n: new ExactInteger("1") }, { n: {} })).toHaveLength(1);
  });

  it("changed values: __proto__, constructor and the like are data", () => {
    const a = parse('{"__proto__":{"x":1},"constructor":1}');
    expect(valueChanges(a, parse('{"__proto__":{"x":2},"constructor":1}'))).toEqual([
      { path: "$.__proto__.x", pack_a: 1, pack_b: 2 },
    ]);
    expect(valueChanges(a, {})).toMatchObject([
      { path: "$.__proto__", absent: "b" },
      { path: "$.constructor", pack_a: 1, absent: "b" },
    ]);
    expect(valueChanges({}, { toString: 1 })).toEqual([
      { path: "$.toString", pack_a: null, pack_b: 1, absent: "a" },
    ]);
    expect(({} as JsonObject)["x"]).toBeUndefined();
  });

  it("changed values: with the sides exchanged they are the mirror", () => {
    const [a, b] = [{ x: [1, 2], y: "a\nb", z: null } as JsonObject, { x: [2], y: "a\nc", w: 1 }];
    const [forth, back] = [valueChanges(a, b), valueChanges(b, a)];
    expect(back.map(({ path, pack_a, pack_b, absent }) => ({ path, pack_a, pack_b, absent }))).toEqual(
      forth.map(({ path, pack_a, pack_b, absent }) => ({
        path,
        pack_a: pack_b,
        pack_b: pack_a,
        absent: absent === undefined ? undefined : absent === "a" ? "b" : "a",
      })),
    );
  });

  it("changed values: any number of them is returned", () => {
    expect(valueChanges(repeated(1), repeated(2))).toHaveLength(1000);
    const keys = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at]));
    expect(valueChanges(keys, {})).toHaveLength(500);
  });

  it("changed values: they are found at any depth", () => {
    expect(paths(deep("1"), deep("2"))).toEqual([`$${".a".repeat(998)}`]);
  });
});
