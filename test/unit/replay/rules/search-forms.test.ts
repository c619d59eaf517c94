import { describe, expect, it } from "vitest";
import { growthOf, inProportion } from "../../../../dev/growth.js";
import { CommitHashes } from "../../../../src/replay/rules/git.js";
import { matchBy, type RuleMatch } from "../../../../src/replay/rules/rule.js";
import { rulesFor } from "../../../../src/replay/rules/select.js";
import { toolUse, type ToolUse } from "../../../../src/tools/table.js";

function matchOf(tool: string, parameters: object, recorded: string, now: string): RuleMatch | undefined {
  const use = toolUse(tool, parameters as never, "claude-code") as ToolUse;
  const rules = rulesFor(
    tool,
    { how: "builtin", use },
    {
      configured: [],
      agent: "claude-code",
      hashes: new CommitHashes(),
      isCut: false,
      isUnordered: true,
      workdir: "/w",
    },
  );
  return matchBy(rules, Buffer.from(recorded), Buffer.from(now));
}

const grep = { pattern: "x", path: "src" };

describe("forms of searches", () => {
  it("Claude Code: the count before the files is left out, if it is right", () => {
    expect(matchOf("Grep", grep, "Found 2 files\nb\n/w/a", "a\nb\n")?.compared).toBe("lines");
    expect(matchOf("Grep", grep, "No files found", "")?.used).toEqual(["form of the search"]);
    expect(matchOf("Grep", grep, "No files found", "a\n")).toBeUndefined();
    expect(matchOf("Grep", grep, "Found 3 files\nb\na", "a\nb\n")).toBeUndefined();
    expect(matchOf("Grep", grep, "Found 2 files\nb\nc", "a\nb\n")).toBeUndefined();
  });

  it("Claude Code: a hundred results are all that it lists", () => {
    const files = Array.from({ length: 120 }, (_, at) => `f${at}`);
    const now = `${files.join("\n")}\n`;
    const listed = files.slice(0, 100);
    expect(matchOf("Glob", { pattern: "f*" }, listed.join("\n"), now)).toMatchObject({ used: ["cut"] });
    expect(matchOf("Glob", { pattern: "f*" }, listed.with(3, "other").join("\n"), now)).toBeUndefined();
    expect(matchOf("Glob", { pattern: "f*" }, files.slice(0, 99).join("\n"), now)).toBeUndefined();
  });

  it("Gemini CLI: matches in blocks, files and folders with headers", () => {
    const blocks = 'Found 2 matches for pattern "x" in path "src":\n---\nFile: a.ts\nL3: x()\nL5: x\n---\n';
    const now = "src/a.ts:3:  x()\nsrc/a.ts:5:x\n";
    expect(matchOf("search_file_content", grep, blocks, now)?.used).toContain("form of the search");
    expect(matchOf("search_file_content", grep, blocks, now.replace("x()", "y()"))).toBeUndefined();
    expect(matchOf("search_file_content", grep, blocks, now.replace(":3:", ":4:"))).toBeUndefined();
    expect(matchOf("search_file_content", grep, blocks.replace("Found 2", "Found 1"), now)).toBeUndefined();
    const files =
      'Found 2 file(s) matching "*.ts" within /w, sorted by modification time (newest first):\n/w/b.ts\n/w/a.ts';
    expect(matchOf("glob", { pattern: "*.ts" }, files, "a.ts\nb.ts\n")?.compared).toBe("lines");
    expect(matchOf("glob", { pattern: "*.ts" }, files, "a.ts\n")).toBeUndefined();
    const listing = "Directory listing for /w:\n[DIR] src\na.ts (12 bytes)\n\n(1 git-ignored)";
    expect(matchOf("list_directory", { path: "/w" }, listing, "a.ts\nsrc/\n")?.compared).toBe("lines");
    expect(matchOf("list_directory", { path: "/w" }, listing, "a.ts\nsrc\n")).toBeUndefined();
    expect(matchOf("list_directory", { path: "/w" }, listing, "a.ts\nb.ts\nsrc/\n")).toBeUndefined();
  });

  it("SWE-agent: the state of its shell behind the files is left out, on lines of its own", () => {
    const files = 'Found 2 matches for "*.ts" in /w:\n/w/a.ts\n/w/b.ts';
    const state = "(Open file: n/a)\n(Current directory: /w)\nbash-$ ";
    const [pattern, now] = [{ pattern: "*.ts" }, "a.ts\nb.ts\n"];
    expect(matchOf("Glob", pattern, `${files}\n${state}`, now)?.compared).toBe("lines");
    expect(matchOf("Glob", pattern, `${files}${state}`, now)).toBeUndefined();
  });

  it("SWE-agent: what looks like very many such states is read in time proportional to its length", () => {
    const growth = growthOf((size) => {
      const recorded = "(Open file: ".repeat(size);
      return () => expect(matchOf("Glob", { pattern: "*" }, recorded, "a\n")).toBeUndefined();
    }, 3000);
    expect(growth).toBeLessThan(inProportion);
  });
});
