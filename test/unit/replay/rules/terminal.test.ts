import { describe, expect, it } from "vitest";
import { matchOf } from "./compare.js";

describe("records of a terminal", () => {
  it("terminal: line ends and the prompt behind the output are left out", () => {
    expect(matchOf("cat f", "a\r\nb\r\nroot@bcd3959393a1:/workspace # ", "a\nb")).toMatchObject({
      compared: "normalised",
      used: ["terminal"],
    });
    expect(matchOf("cat f", "a\r\nb\r\nroot@bcd3959393a1:/workspace # ", "a\nb\n")?.used).toEqual([
      "terminal",
    ]);
    expect(matchOf("touch f", "\r\nroot@bcd3959393a1:/workspace # ", "")?.used).toEqual(["terminal"]);
  });

  it("terminal: what a file holds stays different", () => {
    expect(matchOf("cat f", "a\r\nb\r\n", "a\r\nb\nc")).toBeUndefined();
    expect(matchOf("cat f", "a\nb\r\n", "a\nb\n")).toBeUndefined();
    expect(matchOf("cat f", "a\nb", "a\r\nb")).toBeUndefined();
    expect(matchOf("cat f", "\u001b[1ma", "\u001b[2ma")).toBeUndefined();
    expect(matchOf("cat f", "a\r\nroot@host:/w # ", "b")).toBeUndefined();
  });

  it("terminal: colours are left out of what a program reports", () => {
    expect(matchOf("make", "\u001b[31mfailed\u001b[0m", "failed")?.used).toEqual(["terminal codes"]);
    expect(matchOf("make", "\u001b[31mfailed\u001b[0m", "passed")).toBeUndefined();
  });

  it("terminal: tabs are the spaces of a screen, where no file is printed", () => {
    expect(matchOf("git status", "        modified:   a", "\tmodified:   a")?.used).toEqual([
      "terminal tabs",
    ]);
    expect(matchOf("git status", "ab      c", "ab\tc")?.used).toEqual(["terminal tabs"]);
    expect(matchOf("git status", "ab     c", "ab\tc")).toBeUndefined();
    expect(matchOf("git status", "\tmodified:   a", "        modified:   a")).toBeUndefined();
    expect(matchOf("cat f", "        a", "\ta")).toBeUndefined();
  });
});
