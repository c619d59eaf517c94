import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { nameProblem } from "../../../src/model/names.js";
import { isTagName, parsePackName } from "../../../src/model/pack-name.js";

describe("names of inputs and outputs", () => {
  it.each([
    "a",
    "a/b.c",
    "README",
    "aux.c",
    "a:b",
    ".git",
    ".ctx/x",
    "x.",
    "x ",
    "CON",
    "-rf",
    "a\nb",
    "é",
    "..a",
    "a..",
    "x".repeat(255),
  ])("%j is a legal name of an input or output", (name) => expect(nameProblem(name)).toBeUndefined());

  it.each([
    ["", "empty"],
    ["a\0b", "NUL"],
    ["/etc/x", "slash"],
    ["\\\\srv\\x", "slash"],
    ["C:x", "drive"],
    ["C:\\x", "drive"],
    ["c:/x", "drive"],
    ["c:", "drive"],
    ["../../x", '".."'],
    ["a/../../b", '".."'],
    ["..\\..\\x", '".."'],
    ["a/./b", '"."'],
    [".", '"."'],
    ["..", '".."'],
    ["a//b", "empty component"],
    ["a/", "empty component"],
    ["x".repeat(256), "255 bytes"],
    ["é".repeat(128), "255 bytes"],
    [`${"d/".repeat(2048)}x`, "4,096 bytes"],
  ])("the name %j is refused: %s", (name, why) => expect(nameProblem(name)).toContain(why));
});

const hex = "d9fe28473b978863cc8c99fc6dd0cc17b416776910ace5856f569bd1eeb8407d";

describe("names of packs", () => {
  it.each([
    hex,
    hex.toUpperCase(),
    `sha256:${hex}`,
    `ctx://${hex}`,
    `ctx://sha256:${hex}`,
    `ctx://${hex.toUpperCase()}`,
  ])("%s names a pack by its hash", (text) =>
    expect(parsePackName(text)).toEqual({ target: { kind: "hash", hex }, generations: 0 }),
  );

  it.each(["d9fe", "D9FE", "ctx://d9fe", "sha256:d9FE", "ctx://sha256:d9fe"])(
    "%s names a pack by a prefix",
    (text) =>
      expect(parsePackName(text)).toEqual({ target: { kind: "prefix", hex: "d9fe" }, generations: 0 }),
  );

  it("pack names: latest, tags and parents are parsed", () => {
    expect(parsePackName("latest~2")).toEqual({ target: { kind: "latest" }, generations: 2 });
    expect(parsePackName("d9fe~")).toEqual({ target: { kind: "prefix", hex: "d9fe" }, generations: 1 });
    expect(parsePackName("d9fe^")).toEqual({ target: { kind: "prefix", hex: "d9fe" }, generations: 1 });
    expect(parsePackName("abc")).toEqual({ target: { kind: "tag", tag: "abc" }, generations: 0 });
    expect(parsePackName("v1.0-rc_2")).toEqual({ target: { kind: "tag", tag: "v1.0-rc_2" }, generations: 0 });
  });

  it.each([
    "",
    "ctx://",
    "ctx://d9f",
    `${hex}0`,
    `ctx://${hex}/x`,
    `ctx://user@${hex}`,
    `ctx://${hex}:80`,
    "ctx://%64%39fe",
    `${hex}\n`,
    "d9fe\u0430",
    "ctx://latest",
    "CTX://d9fe",
    "a/b",
    "../x",
    "-x",
    "d9fe~x",
    "a b",
    "x".repeat(101),
  ])("%j is not a pack name", (text) => expect(() => parsePackName(text)).toThrow(CtxError));

  it("a tag cannot look like a hash", () => {
    for (const tag of ["v1", "abc", "main-run", "x".repeat(100)]) expect(isTagName(tag)).toBe(true);
    for (const tag of ["latest", "abcd", "DEAD", "0123456789", "-x", ".x", "", "a/b", "x".repeat(101)])
      expect(isTagName(tag)).toBe(false);
  });
});
