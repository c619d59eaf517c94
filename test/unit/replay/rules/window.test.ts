import { describe, expect, it } from "vitest";
import { windowRule } from "../../../../src/replay/rules/window.js";

const lines = Array.from({ length: 6 }, (_, at) => `line ${at + 1}`);
const now = `[File: src/a.py (6 lines total)]\n${lines.map((line, at) => `${at + 1}:${line}\n`).join("")}`;

function isEqual(recorded: string, lines: { from?: number; to?: number } = {}, shown = now): boolean {
  return windowRule(lines).isEqual({ recorded, now: shown });
}

describe("windows of SWE-agent's editor", () => {
  const window =
    "[File: /w/src/a.py (6 lines total)]\n(2 more lines above)\n3:line 3\n4:line 4\n(2 more lines below)";

  it("window: the lines that it shows are the file's", () => {
    expect(isEqual(window)).toBe(true);
    expect(isEqual(`Text replaced.\n${window}\n(Open file: /w/src/a.py)`)).toBe(true);
    expect(isEqual("[File: /w/new.py (1 lines total)]\n1:", {}, "[File: new.py (1 lines total)]\n1:\n")).toBe(
      true,
    );
  });

  it.each([
    ["another line", window.replace("line 4", "line four")],
    ["another total", window.replace("(6 lines", "(7 lines")],
    [
      "another position",
      window.replace("(2 more lines above)\n3:line 3\n4:line 4", "(3 more lines above)\n4:line 3\n5:line 4"),
    ],
    ["another file", window.replace("a.py", "b.py")],
    ["a line left out", window.replace("3:line 3\n", "")],
    ["an unknown number below", window.replace("2 more lines below", "1 more lines below")],
    ["no window", "line 3\nline 4"],
    ["a window without lines", "[File: /w/src/a.py (6 lines total)]\n"],
  ])("window: %s stays different", (_, recorded) => {
    expect(isEqual(recorded)).toBe(false);
  });
});

const view = (from: number, shown: string[]): string =>
  `Here's the result of running \`cat -n\` on /w/src/a.py:\n${shown.map((line, at) => `${String(from + at).padStart(6)}\t${line}`).join("\n")}\n`;
const folder = (...names: string[]): string =>
  `Here's the files and directories up to 2 levels deep in /w, excluding hidden items:\n${names.join("\n")}`;

describe("views by cat -n", () => {
  it("view: a whole file, with or without its last line end", () => {
    expect(isEqual(view(1, lines))).toBe(true);
    expect(isEqual(view(1, [...lines, ""]))).toBe(true);
    expect(isEqual(view(2, lines.slice(1, 3)), { from: 2, to: 3 })).toBe(true);
    expect(isEqual(view(5, lines.slice(4)), { from: 5, to: -1 })).toBe(true);
    expect(isEqual(view(1, ["a       b"]), {}, "[File: src/a.py (1 lines total)]\n1:a\tb\n")).toBe(true);
  });

  it("view: a part is no whole file, and other lines stay different", () => {
    expect(isEqual(view(1, lines.slice(0, 5)))).toBe(false);
    expect(isEqual(view(1, [...lines, "line 7"]))).toBe(false);
    expect(isEqual(view(1, lines.with(2, "line x")))).toBe(false);
    expect(isEqual(view(2, lines.slice(1, 3)))).toBe(false);
    expect(isEqual(view(2, lines.slice(2, 4)), { from: 2, to: 3 })).toBe(false);
    expect(isEqual(`${view(1, lines)}<response clipped>`)).toBe(false);
  });

  it("view: a folder shows its entries, two levels deep", () => {
    const listed = "[Folder: ]\na\na/b\n";
    expect(isEqual(folder("/w", "/w/a", "/w/a/b"), {}, listed)).toBe(true);
    expect(isEqual(folder("/w", "/w/a"), {}, listed)).toBe(false);
    expect(isEqual(folder("/w", "/w/a", "/w/a/c"), {}, listed)).toBe(false);
  });
});
