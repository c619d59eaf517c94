import { describe, expect, it } from "vitest";
import { matchOf } from "./compare.js";

const then =
  "total 24\ndrwxr-xr-x@  3 ana  staff   96 Jan 14 18:49 src\n-rw-r--r--@  1 ana  staff  309 Jan 15 12:51 a b.md\n";
const now = (file: string) => `total 4\ndrwxr-xr-x 2 ctx ctx 4096 Nov 18 20:33 src\n${file}\n`;

const entry = (name: string): string => `-rw-r--r-- 1 a b 1 Jan  1 2025 ${name}\n`;

describe("ls -l", () => {
  it("ls -l: modes, names and sizes of files count, and nothing else", () => {
    const same = "-rw-r--r-- 1 ctx ctx 309 Nov 18  2025 a b.md";
    expect(matchOf("ls -l", then, now(same))).toMatchObject({ compared: "normalised", used: ["ls -l"] });
    expect(matchOf("ls -la src 2>/dev/null | head -20", then, now(same))?.used).toEqual(["ls -l"]);
  });

  it.each([
    ["another size", "-rw-r--r-- 1 ctx ctx 310 Nov 18 2025 a b.md"],
    ["another mode", "-rwxr-xr-x 1 ctx ctx 309 Nov 18 2025 a b.md"],
    ["another name", "-rw-r--r-- 1 ctx ctx 309 Nov 18 2025 a c.md"],
    ["another kind", "drw-r--r-- 1 ctx ctx 309 Nov 18 2025 a b.md"],
    ["an extra file", "-rw-r--r-- 1 ctx ctx 309 Nov 18 2025 a b.md\n-rw-r--r-- 1 ctx ctx 0 Nov 18 2025 b"],
    ["a missing file", ""],
  ])("ls -l: %s stays different", (_, file) => {
    expect(matchOf("ls -l", then, now(file))).toBeUndefined();
  });

  it("ls -l: the order counts, but for ls -t", () => {
    expect(matchOf("ls -l", entry("a") + entry("b"), entry("b") + entry("a"))).toBeUndefined();
    expect(matchOf("ls -lt", entry("a") + entry("b"), entry("b") + entry("a"))?.compared).toBe("lines");
    expect(matchOf("ls -lt", entry("a") + entry("b"), entry("b") + entry("c"))).toBeUndefined();
  });

  it("ls -l: a file that a command prints beside it is compared verbatim", () => {
    expect(
      matchOf("ls -l; cat list", then, now("-rw-r--r-- 1 ctx ctx 309 Nov 18 2025 a b.md")),
    ).toBeUndefined();
    expect(matchOf("echo hi", then, now("-rw-r--r-- 1 ctx ctx 309 Nov 18 2025 a b.md"))).toBeUndefined();
  });
});

describe("searches without an order", () => {
  it.each([
    "find . -name '*.ts'",
    "rg -n foo src",
    "grep -rn foo . | head -20",
    "cd src && rg foo | grep -v bar",
    "ls -t",
  ])("%s: the order of lines does not count", (line) => {
    expect(matchOf(line, "b\na\n", "a\nb\n")?.compared).toBe("lines");
  });

  it("an extra, a missing, a repeated or a changed line stays different", () => {
    for (const other of ["a\nb\nc\n", "a\n", "a\nb\nb\n", "a\nB\n"])
      expect(matchOf("rg foo", "b\na\n", other)).toBeUndefined();
  });

  it.each([
    "grep foo a b",
    "ls",
    "find . | sort",
    "find . -exec cat {} +",
    "find . | xargs cat",
    "rg foo | sed s/a/b/",
    "cat a; find .",
    "$SEARCH foo",
    "find . | tail -3",
    "rg foo 'x",
  ])("%s: the order of lines counts", (line) => {
    expect(matchOf(line, "b\na\n", "a\nb\n")).toBeUndefined();
  });

  it("the content of lines counts, numbers in them too", () => {
    expect(matchOf("grep -rn took .", "a:1:took 3 ms\nb:1:x\n", "b:1:x\na:1:took 4 ms\n")).toBeUndefined();
  });
});
