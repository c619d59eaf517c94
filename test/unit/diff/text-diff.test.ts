import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxLine, maxEdits, maxLines, type TextDiff, textDiff } from "../../../src/diff/text-diff.js";
import { tempFolder } from "../../../dev/folders.js";
import { describeWith, program } from "../../../dev/needs.js";

const marker = "\\ No newline at end of file";

/** Few different lines, so that many of them are the same; some that look like parts of a diff. */
const line = fc.constantFrom(
  "a",
  "b",
  "c",
  "",
  "-",
  "+",
  "@@ -1 +1 @@",
  "--- a",
  "+++ b",
  marker,
  " ",
  "é\r",
);
const text = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join("\n") + (isEnded && lines.length > 0 ? "\n" : ""));
const context = fc.integer({ min: 0, max: 5 });

/**
 * Returns the old text with a diff applied, or an error where the diff does not fit it. Written from the
 * format's description.
 */
function applied(old: string, { diff }: TextDiff): string {
  const lines = old.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  const parts = diff.match(/[^\n]*\n/g) ?? [];
  for (let index = 0; index < parts.length; ) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$/.exec(parts[index++] as string);
    if (header === null) throw new Error(`not a header: ${parts[index - 1]}`);
    const [from, count, to, fresh] = [header[1], header[2] ?? 1, header[3], header[4] ?? 1].map(Number) as [
      number,
      number,
      number,
      number,
    ];
    const start = count === 0 ? from : from - 1;
    if (start < at) throw new Error("hunks overlap");
    result.push(...lines.slice(at, start));
    at = start;
    if (result.length !== (fresh === 0 ? to : to - 1)) throw new Error(`the new text is not at ${to}`);
    let [left, right] = [count, fresh];
    while (left > 0 || right > 0 || parts[index]?.startsWith("\\")) {
      const part = parts[index++] as string;
      const isLast = parts[index] === `${marker}\n`;
      if (isLast) index++;
      const content = isLast ? part.slice(1, -1) : part.slice(1);
      if (part[0] !== "+") {
        if (lines[at++] !== content) throw new Error(`line ${at} is not ${JSON.stringify(content)}`);
        left--;
      }
      if (part[0] !== "-") {
        result.push(content);
        right--;
      }
    }
    if (left !== 0 || right !== 0) throw new Error("the header counts other lines");
  }
  return [...result, ...lines.slice(at)].join("");
}

/** Returns a diff's blocks of changed lines with the signs exchanged, old lines first. */
function exchanged(diff: string): string {
  const parts = diff.match(/[^\n]*\n(?:\\[^\n]*\n)?/g) ?? [];
  const result: string[] = [];
  let [old, fresh]: [string[], string[]] = [[], []];
  for (const part of [...parts, ""]) {
    if (part.startsWith("-")) fresh.push(`+${part.slice(1)}`);
    else if (part.startsWith("+")) old.push(`-${part.slice(1)}`);
    else {
      result.push(...old, ...fresh, part.replace(/^@@ -(\S+) \+(\S+) @@/, "@@ -$2 +$1 @@"));
      [old, fresh] = [[], []];
    }
  }
  return result.join("");
}

function numbered(count: number, word: string): string {
  return Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");
}

describe("a diff of two texts", () => {
  it("text diff: the format is unified", () => {
    expect(textDiff("a\nb\nc\nd\ne\n", "a\nb\nX\nd\ne\n", 1)).toEqual({
      diff: "@@ -2,3 +2,3 @@\n b\n-c\n+X\n d\n",
      lines_added: 1,
      lines_removed: 1,
    });
    expect(textDiff("a\nb\nc\n", "a\nc\n", 0).diff).toBe("@@ -2 +1,0 @@\n-b\n");
    expect(textDiff("a\nc\n", "a\nb\nc\n", 0).diff).toBe("@@ -1,0 +2 @@\n+b\n");
  });

  it("text diff: equal texts have none", () => {
    for (const same of ["", "a", "a\n", "\n"])
      expect(textDiff(same, same, 3)).toEqual({ diff: "", lines_added: 0, lines_removed: 0 });
  });

  it("text diff: against an empty text there is only one kind of line", () => {
    expect(textDiff("", "a\nb\n", 3)).toEqual({
      diff: "@@ -0,0 +1,2 @@\n+a\n+b\n",
      lines_added: 2,
      lines_removed: 0,
    });
    expect(textDiff("a", "", 3).diff).toBe(`@@ -1 +0,0 @@\n-a\n${marker}\n`);
    expect(textDiff("", "\n", 3).diff).toBe("@@ -0,0 +1 @@\n+\n");
  });

  it("text diff: a missing final line feed is marked on both sides", () =>
    expect(textDiff("old", "new", 3).diff).toBe(`@@ -1 +1 @@\n-old\n${marker}\n+new\n${marker}\n`));

  it("text diff: an added or removed final line feed is shown", () => {
    expect(textDiff("a\nb", "a\nb\n", 3).diff).toBe(`@@ -1,2 +1,2 @@\n a\n-b\n${marker}\n+b\n`);
    expect(textDiff("a\nb\n", "a\nb", 3).diff).toBe(`@@ -1,2 +1,2 @@\n a\n-b\n+b\n${marker}\n`);
  });

  it("text diff: changes whose contexts touch are one hunk, others are not", () => {
    const old = numbered(9, "line");
    const fresh = old.replace("line 1\n", "x\n").replace("line 6\n", "y\n");
    expect(textDiff(old, fresh, 2).diff.match(/^@@/gm)).toHaveLength(1);
    expect(textDiff(old, fresh, 1).diff.match(/^@@/gm)).toHaveLength(2);
  });

  it("text diff: applying it to one text makes the other", () => {
    fc.assert(
      fc.property(text, text, context, (a, b, lines) => {
        const found = textDiff(a, b, lines);
        expect(applied(a, found)).toBe(b);
        expect(found.diff === "").toBe(a === b);
        const body = found.diff.split("\n").filter((each) => !each.startsWith("@@ "));
        expect(body.filter((each) => each.startsWith("+"))).toHaveLength(found.lines_added);
        expect(body.filter((each) => each.startsWith("-"))).toHaveLength(found.lines_removed);
        expect(found.reason).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it("text diff: with the texts exchanged it is the mirror", () => {
    fc.assert(
      fc.property(text, text, context, (a, b, lines) => {
        const [forth, back] = [textDiff(a, b, lines), textDiff(b, a, lines)];
        expect(back.diff).toBe(exchanged(forth.diff));
        expect([back.lines_added, back.lines_removed]).toEqual([forth.lines_removed, forth.lines_added]);
      }),
      { numRuns: 2000 },
    );
  });
});

const cyclic = (seed: number): string =>
  Array.from({ length: 100_000 }, (_, at) => `${(at * seed) % 7}\n`).join("");

describe("limits of a text diff", () => {
  it("text diff: beyond a number of edits the difference is one block, and marked", () => {
    // Every other line is shared, so that there is something to find.
    const [a, b] = ["old", "new"].map((word) =>
      Array.from({ length: maxEdits + 2 }, (_, at) => (at % 2 === 0 ? `${word} ${at}\n` : `${at}\n`)).join(
        "",
      ),
    ) as [string, string];
    const found = textDiff(`first\n${a}last\n`, `first\n${b}last\n`, 3);
    expect(found.reason).toContain(`too many changed lines (over ${maxEdits}`);
    expect(found.lines_added).toBe(found.lines_removed);
    expect(found.lines_added).toBe(maxEdits + 1);
    expect(found.diff.match(/^@@/gm)).toHaveLength(1);
    expect(textDiff(b, a, 3).reason).toBe(textDiff(a, b, 3).reason);
  });

  it("text diff: just within the limit every line is found", () => {
    const [a, b] = ["old", "new"].map((word) =>
      Array.from({ length: maxEdits }, (_, at) => (at % 2 === 0 ? `${word} ${at}\n` : `${at}\n`)).join(""),
    ) as [string, string];
    const found = textDiff(a, b, 0);
    expect(found).toMatchObject({ lines_added: maxEdits / 2, lines_removed: maxEdits / 2 });
    expect(found.reason).toBe(`cut after ${maxLines} lines`);
  });

  it("text diff: lines that were only added or only removed do not count towards the limit", () => {
    const many = numbered(3 * maxEdits, "line");
    expect(textDiff(`a\nz\n`, `a\n${many}z\n`, 3)).toMatchObject({
      lines_added: 3 * maxEdits,
      lines_removed: 0,
      reason: `cut after ${maxLines} lines`,
    });
  });

  it("text diff: a long one is cut, counted in full, and marked", () => {
    const found = textDiff("", numbered(maxLines + 1, "line"), 3);
    expect(found.diff.split("\n")).toHaveLength(maxLines + 1);
    expect(found.diff.endsWith(`+line ${maxLines - 2}\n`)).toBe(true);
    expect(found).toMatchObject({ lines_added: maxLines + 1, reason: `cut after ${maxLines} lines` });
    const whole = textDiff("", numbered(maxLines - 1, "line"), 3);
    expect(whole.diff.split("\n")).toHaveLength(maxLines + 1);
    expect(whole.reason).toBeUndefined();
  });

  it("text diff: a cut between hunks is marked, too", () => {
    const old = numbered(2 * maxLines, "line");
    const fresh = old.replaceAll(/line (\d*[05])\n/g, "new $1\n");
    const found = textDiff(old, fresh, 0);
    expect(found.reason).toBe(`cut after ${maxLines} lines`);
    expect(found.diff.trimEnd().split("\n").length).toBeLessThanOrEqual(maxLines);
  });

  it("text diff: long lines are cut and marked", () => {
    const found = textDiff("a\n", `${"x".repeat(maxLine + 1)}\n`, 3);
    expect(found.diff).toBe(`@@ -1 +1 @@\n-a\n+${"x".repeat(maxLine - 1)}…\n`);
    expect(found.reason).toBe(`lines cut to ${maxLine} characters`);
    const whole = textDiff("a\n", `${"x".repeat(maxLine)}\n`, 3);
    expect(whole.diff).toContain(`+${"x".repeat(maxLine)}\n`);
    expect(whole.reason).toBeUndefined();
  });

  it("text diff: a cut never splits a character", () => {
    for (const before of [maxLine - 2, maxLine - 1, maxLine]) {
      const { diff } = textDiff("a", `${"x".repeat(before)}💥💥💥`, 3);
      expect(diff.isWellFormed()).toBe(true);
      expect(diff).toContain("…");
    }
  });

  it("text diff: two long lines show the part that differs", () => {
    // As it is, both sides of the diff would be the same characters: that says nothing.
    const start = "x".repeat(2 * maxLine);
    const { diff } = textDiff(`${start}old`, `${start}new`, 3);
    const [old, fresh] = ["-", "+"].map((sign) => diff.split("\n").find((each) => each.startsWith(sign)));
    expect(old?.slice(1)).not.toBe(fresh?.slice(1));
  });

  it("text diff: the worst texts end within the limit", () => {
    const found = textDiff(cyclic(3), cyclic(5), 3);
    expect(found.reason).toContain("shown as one block");
    expect(found.diff.split("\n").length).toBeLessThanOrEqual(maxLines + 1);
  });
});

describeWith([program("diff")], "what diff says", () => {
  const folder = tempFolder();

  function systemDiff(a: string, b: string, lines: number): string {
    fs.writeFileSync(join(folder, "a"), a);
    fs.writeFileSync(join(folder, "b"), b);
    const { stdout } = spawnSync("diff", ["-a", "--minimal", `-U${lines}`, "a", "b"], {
      cwd: folder,
      encoding: "utf8",
    });
    return stdout.replace(/^--- .*\n\+\+\+ .*\n/, "");
  }

  it.each([
    ["one line changed", "a\nb\nc\nd\ne\nf\ng\nh\ni\n", "a\nb\nc\nd\nX\nf\ng\nh\ni\n"],
    [
      "two places",
      numbered(30, "line"),
      numbered(30, "line").replace("line 4\n", "").replace("line 20", "x"),
    ],
    ["added at both ends", "b\n", "a\nb\nc\n"],
    ["removed at both ends", "a\nb\nc\n", "b\n"],
    ["empty before", "", "a\nb\n"],
    ["empty after", "a\nb\n", ""],
    ["no line feed before", "a\nb", "a\nc\n"],
    ["no line feed after", "a\nb\n", "a\nc"],
    ["no line feed at all", "one", "two"],
    ["only the line feed", "a\n", "a"],
    ["a shared last line without a line feed", "a\nz", "b\nz"],
    ["empty lines", "\n\na\n", "\n\n\nb\n"],
    ["carriage returns", "a\r\nb\r\n", "a\nb\r\n"],
  ])("text diff: the result is that of diff -u for %s", (_name, a, b) => {
    for (const lines of [0, 1, 3]) expect(textDiff(a, b, lines).diff).toBe(systemDiff(a, b, lines));
  });

  it("text diff: where several diffs are right, ours has as many lines as diff -u", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const body = systemDiff(a, b, 3)
          .split("\n")
          .filter((each) => !each.startsWith("@@ "));
        const found = textDiff(a, b, 3);
        expect(found.lines_added).toBe(body.filter((each) => each.startsWith("+")).length);
        expect(found.lines_removed).toBe(body.filter((each) => each.startsWith("-")).length);
      }),
      { numRuns: 150 },
    );
  });
});

describeWith([program("patch")], "what patch makes of a diff", () => {
  const folder = tempFolder();

  it("text diff: patch makes the other text of it", () => {
    fc.assert(
      fc.property(text, text, context, (a, b, lines) => {
        fc.pre(a !== b);
        fs.writeFileSync(join(folder, "old"), a);
        const { diff } = textDiff(a, b, lines);
        const { status, stderr, stdout } = spawnSync(
          "patch",
          ["--unified", "--binary", "--fuzz=0", "--force", "--no-backup-if-mismatch", "-o", "new", "old"],
          { cwd: folder, input: `--- old\n+++ old\n${diff}`, encoding: "utf8" },
        );
        expect(status, `${stdout}${stderr}\n${diff}`).toBe(0);
        expect(fs.readFileSync(join(folder, "new"), "utf8")).toBe(b);
        expect(stdout).not.toMatch(/offset|fuzz/);
      }),
      { numRuns: 150 },
    );
  });
});
