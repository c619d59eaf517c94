import { describe, expect, it } from "vitest";
import { StepFailure } from "../../../src/replay/outcome.js";
import { globMatcher } from "../../../src/replay/glob-pattern.js";

describe("a glob pattern", () => {
  it.each([
    ["a.txt", "a.txt b/a.txt aXtxt", "a.txt"],
    ["*.ts", "a.ts .ts .a.ts b/a.ts a.tsx", "a.ts"],
    [".*", ".a a", ".a"],
    ["?.ts", "a.ts ab.ts .ts ä.ts 😀.ts", "a.ts ä.ts 😀.ts"],
    ["[ab]", "a b c / .", "a b"],
    ["[!ab]", "a c .", "c"],
    ["[^a-c]x", "bx dx", "dx"],
    ["[]a]", "] a b", "] a"],
    ["[a", "[a a", "[a"],
    ["[a-]", "a - b", "a -"],
    ["**", "a a/b .a a/.b .a/b", "a a/b"],
    ["**/*.ts", "a.ts b/a.ts b/c/a.ts .b/a.ts a.tsx", "a.ts b/a.ts b/c/a.ts"],
    ["src/**", "src src/a src/b/c srcx/a", "src/a src/b/c"],
    [
      "src/**/test/*.ts",
      "src/test/a.ts src/x/test/a.ts src/x/y/test/a.ts src/test/x/a.ts",
      "src/test/a.ts src/x/test/a.ts src/x/y/test/a.ts",
    ],
    ["**/.*", ".a b/.a b/a", ".a b/.a"],
    ["a**b", "ab axb ax/b", "ab axb"],
    ["a/*/c", "a/b/c a/c a/b/b/c a/.b/c", "a/b/c"],
    ["*.{ts,tsx}", "a.ts a.tsx a.t", "a.ts a.tsx"],
    ["{a,b/{c,d*}}.x", "a.x b/c.x b/dd.x b.x", "a.x b/c.x b/dd.x"],
    ["{a,}b", "ab b aab", "ab b"],
    ["{a", "{a a", "{a"],
    ["{src/**,lib}/*.x", "lib/a.x src/b/a.x src/a.y", "lib/a.x src/b/a.x"],
    ["{*a,.b}.c", ".b.c xa.c .a.c", ".b.c xa.c"],
    ["a\\*", "a* ab", "a*"],
    ["a,b", "a,b", "a,b"],
    ["a}", "a}", "a}"],
    ["", "a", ""],
  ])("glob pattern %s matches what it should", (pattern, paths, fitting) => {
    expect(paths.split(" ").filter(globMatcher(pattern)).join(" ")).toBe(fitting);
  });

  it("glob pattern: dots match on request", () => {
    const fits = globMatcher("**/*.ts", { dots: true });
    expect([".a.ts", ".b/a.ts"].every(fits)).toBe(true);
  });

  it("glob pattern: it can contain a line feed", () => {
    expect(globMatcher("a*b")("a\nb")).toBe(true);
  });

  it("glob pattern: matching takes no exponential time", () => {
    const path = "a".repeat(4000);
    expect(globMatcher(`${"*a".repeat(200)}b`)(path)).toBe(false);
    expect(globMatcher(`${"{a,aa}".repeat(150)}b`)(path)).toBe(false);
    expect(globMatcher(`${"**/".repeat(300)}b`)("a/".repeat(2000))).toBe(false);
    expect(globMatcher(`${"{".repeat(500)}${"}".repeat(500)}`)("a")).toBe(false);
    expect(globMatcher("[".repeat(1000))("a")).toBe(false);
  });

  it("glob pattern: a huge one is refused, and one that takes too long is abandoned", () => {
    expect(() => globMatcher("*".repeat(100_000))).toThrow(StepFailure);
    const fits = globMatcher(`${"*a".repeat(500)}b`);
    const path = "a".repeat(60_000);
    expect(() => {
      for (let round = 0; round < 1000; round++) fits(path);
    }).toThrow("takes too long");
  });
});
