import { describe, expect, it } from "vitest";
import { filePart, filePaths } from "../../../src/model/file-names.js";
import { legalName, nameProblem } from "../../../src/model/names.js";

describe("a component of a path", () => {
  it.each([
    ["notes.txt", "notes.txt"],
    ["é ü.md", "é ü.md"],
    ["100%", "100%25"],
    ["a:b", "a%3Ab"],
    ['<>:"|?*\\', "%3C%3E%3A%22%7C%3F%2A%5C"],
    ["a\nb\u001b\u007f\u0085", "a%0Ab%1B%7F%C2%85"],
    ["x.", "x%2E"],
    ["x ", "x%20"],
    ["x..", "x.%2E"],
    ["..", ".%2E"],
    [".", "%2E"],
    ["../../x", "..%2F..%2Fx"],
    ["aux", "%61ux"],
    ["aux.c", "%61ux.c"],
    ["CON", "%43ON"],
    ["nul.tar.gz", "%6Eul.tar.gz"],
    ["COM1", "%43OM1"],
    ["lpt\u00b9.x", "%6Cpt\u00b9.x"],
    ["conin$", "%63onin$"],
    ["auxiliary", "auxiliary"],
    ["com10", "com10"],
    [".git", "%2Egit"],
    [".GIT", "%2EGIT"],
    [".ctx", "%2Ectx"],
    [".g\u200cit", "%2Eg\u200cit"],
    ["git~1", "%67it~1"],
    [".gitignore", ".gitignore"],
    ["-rf", "-rf"],
  ])("file names: the component %j becomes %j", (part, expected) => expect(filePart(part)).toBe(expected));

  // The last one may have any length: that must not take longer.
  it.each([
    "x".repeat(255),
    "%".repeat(255),
    "é".repeat(127),
    "\u{1f600}".repeat(63),
    "x\u001b".repeat(100_000),
  ])("file names: a component that is too long is cut and stays unique", (part) => {
    const cut = filePart(part);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(200);
    expect(cut).toMatch(/~[0-9a-f]{8}$/);
    expect(cut).not.toMatch(/%(?![0-9A-F]{2})|\ufffd/);
    expect(filePart(`${part.slice(0, -2)}!`)).not.toBe(cut);
  });
});

describe("names that become files", () => {
  it.each<[string[], string[]]>([
    [
      ["a", "b/c"],
      ["a", "b/c"],
    ],
    [
      ["README", "readme", "ReadMe"],
      ["README", "readme~2", "ReadMe~3"],
    ],
    [
      ["caf\u00e9", "cafe\u0301"],
      ["caf\u00e9", "cafe\u0301~2"],
    ],
    [
      ["stra\u00dfe", "STRASSE"],
      ["stra\u00dfe", "STRASSE~2"],
    ],
    [
      ["a", "a/b"],
      ["a", "a~2/b"],
    ],
    [
      ["a/b", "a"],
      ["a/b", "a~2"],
    ],
    [
      ["A/b", "a/B", "a"],
      ["A/b", "a/B~2", "a~2"],
    ],
    [
      ["x", "x~2", "X"],
      ["x", "x~2", "X~3"],
    ],
    [
      ["a.md", "A.md", "d/.env", "D/.ENV"],
      ["a.md", "A~2.md", "d/.env", "D/.ENV~2"],
    ],
    [
      ["a", "a/b", "a/c"],
      ["a", "a~2/b", "a~2/c"],
    ],
    [
      ["x", "X", "x~2"],
      ["x", "X~2", "x~2~2"],
    ],
    [["a\\b"], ["a%5Cb"]],
    [[".git/config"], ["%2Egit/config"]],
  ])("file names: %j become %j", (names, paths) => expect(filePaths(names)).toEqual(paths));

  it("file names: many equal names become unique in linear time", () => {
    const names = Array.from({ length: 5000 }, (_, at) =>
      Array.from("abcdefghijklm", (letter, bit) => ((at >> bit) & 1 ? letter.toUpperCase() : letter)).join(
        "",
      ),
    );
    expect(new Set(filePaths(names)).size).toBe(5000);
  });

  it("file names: any name becomes a short and unique path", () => {
    const deep = Array.from({ length: 16 }, () => "d".repeat(250)).join("/");
    const [one = "", two = ""] = filePaths([`${deep}/x`, `${deep}/y`]);
    expect(Buffer.byteLength(one)).toBeLessThan(600);
    expect(one).toMatch(/^x~[0-9a-f]{8}$/);
    expect(two).toMatch(/^y~[0-9a-f]{8}$/);
  });
});

describe("a name that no log may have", () => {
  it.each([
    ["ok/name", "ok/name"],
    ["/etc/hosts", "etc/hosts"],
    ["../../x", "x"],
    ["C:\\Users\\me", "C/Users/me"],
    ["C:D:/x", "CD:/x"],
    ["/C:/x", "C/x"],
    ["a//b/./c", "a/b/c"],
    ["a\0b", "ab"],
    ["", "unnamed"],
    ["/", "unnamed"],
    ["x".repeat(300), "x".repeat(60)],
  ])("file names: %j, which no log may have, becomes %j", (name, expected) => {
    expect(legalName(name)).toBe(expected);
    expect(nameProblem(legalName(name))).toBeUndefined();
  });
});
