import { describe, expect, it } from "vitest";
import { matchOf } from "./compare.js";

function compare(one: string, other: string): string[] | undefined {
  return matchOf("make", one, other)?.used;
}

describe("normalisers of a command", () => {
  it("normalisers: space is ignored at the end of the text only", () => {
    expect(compare("done\n", "done")).toEqual(["space at the end"]);
    expect(compare("done \t\n\n", "done")).toEqual(["space at the end"]);
    expect(compare("done \nmore", "done\nmore")).toBeUndefined();
  });

  it("normalisers: durations, dates, ids and temporary paths are ignored", () => {
    expect(compare("took 3 ms", "took 0.4s")).toEqual(["durations"]);
    expect(compare("at 2026-01-01T00:00:00Z", "at 2026-01-02")).toEqual(["dates"]);
    expect(compare("in /tmp/a/b", "in /tmp/c")).toEqual(["temporary paths"]);
  });

  // A quadratic search takes a minute on the first.
  it.each([" ", "\t\n", "0", "0.", "1m", "/tmp/", "2026-01-01 ", "2026-01-01T00:00:00.0", "Mon ", "a-"])(
    "normalisers: 200,000 characters of %j take linear time",
    { timeout: 20_000 },
    (part) => {
      const long = part.repeat(200_000 / part.length);
      expect(compare(`${long}! x`, `${long}! y`)).toBeUndefined();
    },
  );

  const lines = [
    "git log",
    "git diff",
    "ls -lt",
    "rg x",
    "go test",
    "mix test",
    "vitest",
    "jest",
    "pytest",
    "cargo test",
  ];
  const runs = [...lines, "python3 -m unittest", "node --test", "cat x"];
  const parts = [
    " ",
    "\n",
    "\r",
    "\t",
    "#",
    ":",
    "(",
    "_",
    "-",
    "0",
    "a",
    "\u001b",
    "\u2026",
    "\u25cf",
    "\u2716",
    "\r\n",
    " x",
    "* ",
    "Your branch is ",
    "Your name and email address were configured automatically\n",
    "## a...",
    "commit ",
    "[main ",
    "-rw-r--r-- 1 a b 1 ",
    "FAIL  ",
    "ok\ta\t",
    "coverage: ",
    "Tests  1 ",
    "1 passed, ",
    "___ ",
    "not ok 1 - ",
    "(Open file: ",
    "\u20261 tokens truncated",
    "a@b:",
  ];

  it.each(runs)("rules of %s: long outputs of anything take linear time", { timeout: 60_000 }, (line) => {
    for (const part of parts) {
      const long = part.repeat(200_000 / part.length);
      const match = matchOf(line, `${long}\n! x`, `${long}\n! y`, { isCut: true, agent: "codex" });
      // Beside the results of tests, other lines do not count.
      expect(match === undefined || match.compared === "results", part).toBe(true);
    }
  });
});
