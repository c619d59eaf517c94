import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ToolUse, toolUse } from "../../../src/tools/table.js";
import type { Outcome } from "../../../src/replay/outcome.js";
import { runBuiltin } from "../../../src/replay/run-builtin.js";
import { Workspace } from "../../../src/replay/workspace.js";
import { tempFolder } from "../../../dev/folders.js";

function scene(files: Record<string, string | Buffer>): { root: string; tree: Workspace } {
  const root = tempFolder();
  const tree = new Workspace(root, "/home/ana/repo");
  for (const [path, content] of Object.entries(files)) tree.write(path, Buffer.from(content));
  return { root, tree };
}

/** Returns the bytes that a search returns, or the reason why it returns none. */
function found(outcome: Outcome): string {
  if (outcome.kind === "output") return outcome.bytes.toString("latin1");
  return outcome.kind === "failed" ? `failed: ${outcome.reason}` : "effect";
}

function globbed(tree: Workspace, pattern: string, path = "."): string {
  return found(runBuiltin(tree, { action: "glob", pattern, path }));
}

type Grep = Extract<ToolUse, { action: "grep" }>;

function grepped(tree: Workspace, pattern: string, options: Partial<Grep> = {}): string {
  const use: Grep = {
    action: "grep",
    pattern,
    path: ".",
    ignoreCase: false,
    isFixed: false,
    resultKind: "lines",
  };
  return found(runBuiltin(tree, { ...use, ...options }));
}

const claudeGlob = (pattern: string, path?: string): ToolUse =>
  toolUse("Glob", path === undefined ? { pattern } : { pattern, path }, "claude-code") as ToolUse;

describe("glob", () => {
  const files = {
    "b.ts": "",
    "a/z.ts": "",
    "a/b/c.ts": "",
    "a.ts": "",
    "a/x.md": "",
    ".h/a.ts": "",
    "B.ts": "",
  };

  it("built-in glob returns paths by bytes, relative to the path", () => {
    const { tree } = scene(files);
    expect(globbed(tree, "**/*.ts")).toBe("B.ts\na.ts\na/b/c.ts\na/z.ts\nb.ts\n");
    expect(globbed(tree, "*.ts", "a")).toBe("z.ts\n");
    expect(globbed(tree, "a/**/*.ts")).toBe("a/b/c.ts\na/z.ts\n");
    expect(globbed(tree, "b/*.ts", "a")).toBe("b/c.ts\n");
    expect(globbed(tree, "./b/../*.md", "a")).toBe("x.md\n");
    expect(globbed(tree, "/home/ana/repo/a/*.md")).toBe("a/x.md\n");
    expect(globbed(tree, "../*.ts", "a/b")).toBe("a/z.ts\n");
    expect(globbed(tree, "a.ts")).toBe("a.ts\n");
    expect(globbed(tree, "*.py")).toBe("");
    expect(globbed(tree, "none/*.py")).toBe("");
  });

  it("built-in glob: Claude Code names files from the root, and searches all folders for a name", () => {
    const { tree } = scene({ "a/b/c.ts": "", "a/d.ts": "", "e.ts": "" });
    expect(found(runBuiltin(tree, claudeGlob("*.ts")))).toBe("a/b/c.ts\na/d.ts\ne.ts\n");
    expect(found(runBuiltin(tree, claudeGlob("*.ts", "a")))).toBe("a/b/c.ts\na/d.ts\n");
    expect(found(runBuiltin(tree, claudeGlob("b/*.ts", "a")))).toBe("a/b/c.ts\n");
    expect(found(runBuiltin(tree, claudeGlob("./*.ts", "a")))).toBe("a/d.ts\n");
  });

  it("built-in glob accepts a folder that paths are relative to", () => {
    const { tree } = scene(files);
    expect(found(runBuiltin(tree, { action: "glob", pattern: "*", path: "b" }, "a"))).toBe("c.ts\n");
  });

  it("built-in glob stays inside the workspace", () => {
    const { root, tree } = scene(files);
    const out = tempFolder();
    fs.writeFileSync(join(out, "secret.ts"), "");
    fs.symlinkSync(out, join(root, "link"));
    fs.symlinkSync(join(out, "secret.ts"), join(root, "link.ts"));
    fs.symlinkSync("a.ts", join(root, "near.ts"));
    expect(globbed(tree, "**/*.ts")).not.toMatch(/secret|link/);
    expect(globbed(tree, "*.ts")).toContain("near.ts\n");
    expect(globbed(tree, "link/*.ts")).toBe("failed: outside");
    expect(globbed(tree, "../*")).toBe("failed: outside");
    expect(globbed(tree, "/etc/*")).toBe("failed: outside");
    expect(globbed(tree, "*", "/etc")).toBe("failed: outside");
    expect(globbed(tree, "*", "none")).toBe("failed: missing_input");
    expect(globbed(tree, "*\0")).toBe("");
    expect(globbed(tree, "a\0/*")).toBe("failed: error");
    expect(globbed(tree, "")).toBe("failed: error");
    expect(globbed(tree, "*".repeat(1 << 20))).toBe("failed: error");
  });

  it("built-in glob skips .git and .ctx, unless they are named", () => {
    const { tree } = scene({
      ".git/config": "x",
      "a/.git/config": "x",
      ".ctx/config": "x",
      ".gitignore": "x",
    });
    expect(globbed(tree, "**/.*")).toBe(".gitignore\n");
    expect(globbed(tree, ".git/*")).toBe(".git/config\n");
  });
});

describe("grep", () => {
  it("built-in grep returns lines by path, then by number", () => {
    const { tree } = scene({ "b.txt": "foo\nbar\nfood", "a/c.txt": "no\r\nfoo\r\n", "a.txt": "foo\n" });
    expect(grepped(tree, "foo")).toBe("a.txt:1:foo\na/c.txt:2:foo\r\nb.txt:1:foo\nb.txt:3:food\n");
    expect(grepped(tree, "foo", { resultKind: "files" })).toBe("a.txt\na/c.txt\nb.txt\n");
    expect(grepped(tree, "foo", { resultKind: "counts" })).toBe("a.txt:1\na/c.txt:1\nb.txt:2\n");
    expect(grepped(tree, "foo$", { path: "b.txt" })).toBe("b.txt:1:foo\n");
    expect(grepped(tree, "foo", { path: "/home/ana/repo/a" })).toBe("a/c.txt:2:foo\r\n");
    expect(grepped(tree, "FOO")).toBe("");
    expect(grepped(tree, "FOO", { ignoreCase: true, path: "a.txt" })).toBe("a.txt:1:foo\n");
    expect(grepped(tree, "(?i)FOO", { path: "a.txt" })).toBe("a.txt:1:foo\n");
    expect(grepped(tree, "foo", { path: "none" })).toBe("failed: missing_input");
    expect(grepped(tree, "foo", { path: ".." })).toBe("failed: outside");
  });

  it("built-in grep: Claude Code names no path for one file, and no numbers on request", () => {
    const { tree } = scene({ "a.txt": "foo\n", "b/c.txt": "x\nfoo\n" });
    const bare = { isBareForFile: true };
    expect(grepped(tree, "foo", { ...bare, path: "b/c.txt" })).toBe("2:foo\n");
    expect(grepped(tree, "foo", { ...bare, path: "b" })).toBe("b/c.txt:2:foo\n");
    expect(grepped(tree, "foo", { ...bare, path: "b/c.txt", resultKind: "files" })).toBe("b/c.txt\n");
    expect(grepped(tree, "foo", { ...bare, isUnnumbered: true })).toBe("a.txt:foo\nb/c.txt:foo\n");
  });

  it("built-in grep: lines around matches are shown once, with gaps between groups", () => {
    const { tree } = scene({ a: "1\nfoo\n3\nfoo\n5\n6\n7\n8\nfoo\n" });
    const around = { before: 1, after: 1 };
    const groups = "1-1\n2:foo\n3-3\n4:foo\n5-5\n--\n8-8\n9:foo\n";
    expect(grepped(tree, "foo", { ...around, path: "a", isBareForFile: true })).toBe(groups);
    expect(grepped(tree, "foo", { after: 1 })).toBe("a:2:foo\na-3-3\na:4:foo\na-5-5\n--\na:9:foo\n");
    tree.write("b", Buffer.from("foo\n"));
    expect(grepped(tree, "foo", { after: 1 })).toMatch(/\na:9:foo\n--\nb:1:foo\n$/);
    tree.remove("b");
    expect(grepped(tree, "foo", { before: 10_000, after: 10_000 }).split("\n")).toHaveLength(10);
  });

  it("built-in grep matches a literal text on request", () => {
    const { tree } = scene({ a: "a.b(c)\nazb\n-[x]/\n" });
    expect(grepped(tree, "a.b(", { isFixed: true })).toBe("a:1:a.b(c)\n");
    expect(grepped(tree, "-[x]/", { isFixed: true })).toBe("a:3:-[x]/\n");
  });

  it("built-in grep accepts expressions of other programs", () => {
    const { tree } = scene({ a: "x y\nx-y\n😀\n" });
    expect(grepped(tree, "x[[:space:]]y")).toBe("a:1:x y\n");
    expect(grepped(tree, 'x\\-y|\\"')).toBe("a:2:x-y\n");
    expect(Buffer.from(grepped(tree, "^.$"), "latin1").toString()).toBe("a:3:😀\n");
    expect(grepped(tree, "(")).toBe("failed: error");
  });

  it("built-in grep reads only the files that it should", () => {
    const { root, tree } = scene({
      "a.ts": "x",
      "b.md": "x",
      "src/c.ts": "x",
      "src/.d.ts": "x",
      ".git/e.ts": "x",
      ".ctx/e.ts": "x",
      binary: Buffer.from([120, 0, 120]),
      late: Buffer.concat([Buffer.from(`x\n${"y".repeat(9000)}`), Buffer.from([0])]),
    });
    fs.symlinkSync("a.ts", join(root, "link.ts"));
    execFileSync("mkfifo", [join(root, "pipe.ts")]);
    const files = { resultKind: "files" } as const;
    expect(grepped(tree, "x", files)).toBe("a.ts\nb.md\nlate\nsrc/.d.ts\nsrc/c.ts\n");
    expect(grepped(tree, "x", { ...files, glob: "*.ts" })).toBe("a.ts\nsrc/.d.ts\nsrc/c.ts\n");
    expect(grepped(tree, "x", { ...files, glob: "!*.ts" })).toBe("b.md\nlate\n");
    expect(grepped(tree, "x", { ...files, glob: "src/*.{ts,js}" })).toBe("src/.d.ts\nsrc/c.ts\n");
    expect(grepped(tree, "x", { path: "binary" })).toBe("");
    expect(grepped(tree, "x", { path: "pipe.ts" })).toBe("failed: error");
  });

  it("built-in grep returns bytes that are not UTF-8 unchanged", () => {
    const { tree } = scene({ a: Buffer.from([0x66, 0xff, 0x0a, 0xfe, 0x66, 0x0a]) });
    expect(grepped(tree, "f")).toBe("a:1:f\xff\na:2:\xfef\n");
  });

  it.each([
    ["(a+)+$", `${"a".repeat(50)}b`],
    ["(a|aa)*c", "a".repeat(100)],
    ["(.*)*(.*)*(.*)*x", "y".repeat(5000)],
  ])("built-in grep is not blocked by %s", (pattern, content) => {
    const { tree } = scene(
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, content])),
    );
    expect(grepped(tree, pattern)).toBe("failed: timeout");
  });

  it("built-in grep fails when one line takes too long, and never reports no match", () => {
    const { tree } = scene({ a: `${"a".repeat(50)}c` });
    expect(grepped(tree, "(a+)+b|c$")).toBe("failed: timeout");
  });

  it("built-in grep refuses a huge pattern, and survives odd ones", () => {
    const { tree } = scene({ a: "a" });
    expect(grepped(tree, "a".repeat(1 << 20))).toBe("failed: error");
    expect(grepped(tree, `${"(".repeat(4000)}${")".repeat(4000)}`)).toMatch(/^(?:a:1:a\n|failed: \w+)$/);
    expect(grepped(tree, "(((a{100}){100}){100}){100}")).toMatch(/^(?:|failed: \w+)$/);
    expect(grepped(tree, "]'`;process.exit(3)//")).toBe("");
  });
});
