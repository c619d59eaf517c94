import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolUse } from "../../../src/tools/table.js";
import type { Outcome } from "../../../src/replay/outcome.js";
import { builtinActions, runBuiltin } from "../../../src/replay/run-builtin.js";
import { Workspace } from "../../../src/replay/workspace.js";
import { snapshot, tempFolder } from "../../../dev/folders.js";

function scene(files: Record<string, string | Buffer> = {}): { root: string; tree: Workspace } {
  const root = tempFolder();
  const tree = new Workspace(root, "/home/ana/repo");
  for (const [path, content] of Object.entries(files)) tree.write(path, Buffer.from(content));
  return { root, tree };
}

function returned(outcome: Outcome): string {
  expect(outcome).toMatchObject({ kind: "output", compared: "output" });
  return outcome.kind === "output" ? outcome.bytes.toString("latin1") : "";
}

type Edit = { old: string; new: string; all: boolean };

function edited(content: string | Buffer, ...edits: (Omit<Edit, "all"> & { all?: boolean })[]): string {
  const { tree } = scene({ f: content });
  const full = edits.map((edit) => ({ all: false, ...edit }));
  const outcome = runBuiltin(tree, { action: "edit", path: "f", edits: full });
  const after = tree.read("f").toString("latin1");
  if (outcome.kind === "effect" && outcome.applied) return after;
  expect(after).toBe(Buffer.from(content).toString("latin1"));
  return outcome.kind === "effect" ? outcome.message : outcome.kind;
}

function inserted(content: string, after: number, text: string): string {
  const { tree } = scene({ f: content });
  const outcome = runBuiltin(tree, { action: "insert", path: "f", after, content: text });
  return outcome.kind === "effect" && outcome.applied ? tree.read("f").toString() : "not applied";
}

function windowed(content: string | undefined, use: Omit<Window, "action" | "path">): string[] {
  const { tree } = scene(content === undefined ? {} : { f: content });
  const outcome = runBuiltin(tree, { action: "window", path: "f", ...use });
  const shown = outcome.kind === "output" ? outcome.bytes.toString() : outcome.kind;
  return [shown, tree.stat("f") === undefined ? "none" : tree.read("f").toString()];
}

type Window = Extract<ToolUse, { action: "window" }>;

describe("built-in window", () => {
  it("built-in window: it shows the whole file after the change", () => {
    expect(windowed("a\nb", {})).toEqual(["[File: f (2 lines total)]\n1:a\n2:b\n", "a\nb"]);
    expect(windowed(undefined, { isNew: true })).toEqual(["[File: f (1 lines total)]\n1:\n", "\n"]);
    const change = { from: 2, to: 3, content: "x\ny\nz" };
    expect(windowed("a\nb\nc\nd\n", { change })[1]).toBe("a\nx\ny\nz\nd\n");
    expect(windowed("\n", { change: { from: 1, to: 1, content: "x" } })[1]).toBe("x\n");
    expect(windowed("a\nb\n", { change: { from: 1, to: 1, content: "" } })[1]).toBe("b\n");
    expect(windowed("a\nb\n", { change: { content: "x\ny" } })[1]).toBe("a\nb\nx\ny\n");
    expect(windowed("a\nb\n", { change: { after: 1, content: "x" } })[1]).toBe("a\nx\nb\n");
    expect(windowed("a\nb\n", { change: { old: "a", new: "x", all: false } })[1]).toBe("x\nb\n");
  });

  it("built-in window: a change that does not fit leaves the file alone", () => {
    expect(windowed("a\n", { change: { from: 3, to: 4, content: "x" } })).toEqual(["effect", "a\n"]);
    expect(windowed("a\n", { change: { from: 0, to: 1, content: "x" } })).toEqual(["effect", "a\n"]);
    expect(windowed("a\n", { change: { old: "b", new: "x", all: false } })).toEqual(["effect", "a\n"]);
    expect(windowed("a\n", { isNew: true })).toEqual(["effect", "a\n"]);
  });

  it("built-in window: a folder shows two levels, without hidden entries", () => {
    const { tree } = scene({ "d/a": "", "d/b/c": "", "d/b/c2/d": "", "d/.git/x": "" });
    expect(returned(runBuiltin(tree, { action: "window", path: "d" }))).toBe(
      "[Folder: d]\na\nb\nb/c\nb/c2\n",
    );
  });
});

describe("built-in executors", () => {
  it("built-in tools: there is one for every action on files", () => {
    expect([...builtinActions].sort()).toEqual([
      "append",
      "delete",
      "edit",
      "glob",
      "grep",
      "insert",
      "list",
      "make_folder",
      "move",
      "patch",
      "read",
      "window",
      "write",
    ]);
    const { tree } = scene();
    expect(runBuiltin(tree, { action: "command", command: "true" })).toMatchObject({ reason: "no_tool" });
    expect(runBuiltin(tree, { action: "internal", why: "" })).toMatchObject({ reason: "no_tool" });
  });

  it("built-in tools: they never throw and never leave the workspace, whatever the path", () => {
    const { root, tree } = scene({ a: "x\n", "dir/b": "y\n" });
    const out = tempFolder();
    fs.writeFileSync(join(out, "f"), "secret");
    fs.symlinkSync(out, join(root, "link"));
    const before = snapshot(out);
    const paths = [
      "../x",
      "/etc/passwd",
      "/proc/self/root/etc/passwd",
      "/dev/zero",
      "~/x",
      "link/f",
      "link",
      "",
      "a\0",
    ];
    for (const path of [...paths, "n".repeat(5000), "a/b", "none/../../x", ".", "dir"]) {
      const uses: ToolUse[] = [
        { action: "read", path },
        { action: "list", path, isDeep: true },
        { action: "glob", pattern: "*", path },
        { action: "glob", pattern: path, path: "." },
        { action: "grep", pattern: "x", path, ignoreCase: false, isFixed: false, resultKind: "lines" },
        { action: "write", path, content: "x" },
        { action: "append", path, content: "x" },
        { action: "insert", path, after: 0, content: "x" },
        { action: "edit", path, edits: [{ old: "secret", new: "x", all: false }] },
        { action: "patch", format: "v4a", text: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` },
        { action: "patch", format: "unified", text: "@@ -1 +1 @@\n-secret\n+x\n", path },
        { action: "window", path },
        { action: "window", path, isNew: true },
        { action: "window", path, change: { old: "secret", new: "x", all: false } },
        { action: "window", path, change: { content: "x" } },
        { action: "make_folder", path },
        { action: "move", from: path, to: "stolen" },
        { action: "move", from: "a", to: `${path}/a` },
      ];
      for (const use of uses) {
        const outcome = runBuiltin(tree, use);
        if (outcome.kind === "output") expect(outcome.bytes.toString()).not.toContain("secret");
      }
      // A link is removed as itself.
      if (path !== "link") runBuiltin(tree, { action: "delete", path });
    }
    expect(snapshot(out)).toEqual(before);
  });

  it("built-in tools: a missing file is named", () => {
    const { tree } = scene();
    const uses: ToolUse[] = [
      { action: "read", path: "none" },
      { action: "edit", path: "none", edits: [{ old: "a", new: "b", all: false }] },
      { action: "insert", path: "none", after: 0, content: "x" },
      { action: "delete", path: "none" },
      { action: "move", from: "none", to: "b" },
    ];
    for (const use of uses)
      expect(runBuiltin(tree, use)).toEqual({
        kind: "failed",
        reason: "missing_input",
        message: "there is no file none",
      });
  });
});

describe("read", () => {
  it("built-in read returns bytes, or lines of them", () => {
    const { tree } = scene({ f: Buffer.from("1\r\n2\n\xff\n4", "latin1"), "sub/f": "x" });
    const read = (options: { from?: number; lines?: number }): string =>
      returned(runBuiltin(tree, { action: "read", path: "f", ...options }));
    expect(read({})).toBe("1\r\n2\n\xff\n4");
    expect(read({ from: 2, lines: 2 })).toBe("2\n\xff\n");
    expect(read({ from: 3 })).toBe("\xff\n4");
    expect(read({ lines: 1 })).toBe("1\r\n");
    expect(read({ from: 4, lines: 100 })).toBe("4");
    expect(read({ from: 5 })).toBe("");
    expect(read({ from: 0, lines: 0 })).toBe("");
    expect(read({ from: 1e15, lines: 1e15 })).toBe("");
    expect(returned(runBuiltin(tree, { action: "read", path: "f" }, "sub"))).toBe("x");
  });
});

describe("list", () => {
  it("built-in list returns names by bytes, folders with a slash", () => {
    const { root, tree } = scene({ b: "", "a/c": "", "a/d/e": "", "a.x": "", ä: "", Z: "", ".git/x": "" });
    fs.symlinkSync("a", join(root, "link"));
    const utf8 = (use: ToolUse): string => Buffer.from(returned(runBuiltin(tree, use)), "latin1").toString();
    expect(utf8({ action: "list", path: ".", isDeep: false })).toBe(".git/\nZ\na/\na.x\nb\nlink\nä\n");
    expect(utf8({ action: "list", path: "a", isDeep: true })).toBe("c\nd/\nd/e\n");
    expect(utf8({ action: "list", path: "link", isDeep: false })).toBe("c\nd/\n");
    tree.makeFolder("empty");
    expect(utf8({ action: "list", path: "empty", isDeep: true })).toBe("");
    expect(runBuiltin(tree, { action: "list", path: "b", isDeep: false })).toMatchObject({ reason: "error" });
    expect(runBuiltin(tree, { action: "list", path: "c", isDeep: false })).toMatchObject({
      reason: "missing_input",
    });
  });
});

describe("write, append and make_folder", () => {
  it("built-in write, append and make_folder change the workspace", () => {
    const { tree } = scene();
    const write = (isNew: boolean): Outcome =>
      runBuiltin(tree, { action: "write", path: "a/f", content: "é", isNew });
    expect(write(true)).toEqual({ kind: "effect", path: "a/f", applied: true });
    expect(write(true)).toMatchObject({ kind: "effect", applied: false });
    expect(write(false)).toMatchObject({ applied: true });
    expect(runBuiltin(tree, { action: "append", path: "f", content: "x" }, "a")).toMatchObject({
      path: "a/f",
    });
    expect(tree.read("a/f").toString()).toBe("éx");
    expect(runBuiltin(tree, { action: "append", path: "new", content: "x" })).toMatchObject({
      applied: true,
    });
    expect(runBuiltin(tree, { action: "make_folder", path: "x/y" })).toMatchObject({
      path: "x/y",
      applied: true,
    });
    expect(runBuiltin(tree, { action: "make_folder", path: "x/y" })).toMatchObject({ applied: true });
    expect(runBuiltin(tree, { action: "make_folder", path: "new" })).toMatchObject({ applied: false });
    expect(runBuiltin(tree, { action: "write", path: "x", content: "" })).toMatchObject({ reason: "error" });
  });
});

describe("delete and move", () => {
  it("built-in delete and move change the workspace", () => {
    const { root, tree } = scene({ a: "1", "d/e/f": "2", b: "3" });
    expect(runBuiltin(tree, { action: "move", from: "a", to: "n/m" })).toMatchObject({
      path: "n/m",
      applied: true,
    });
    expect(runBuiltin(tree, { action: "move", from: "b", to: "d" })).toMatchObject({ applied: false });
    expect(runBuiltin(tree, { action: "delete", path: "d" })).toMatchObject({ path: "d", applied: true });
    expect(runBuiltin(tree, { action: "delete", path: "b" })).toMatchObject({ applied: true });
    expect(runBuiltin(tree, { action: "delete", path: "." })).toMatchObject({ reason: "error" });
    expect(fs.readdirSync(root)).toEqual(["n"]);
  });
});

describe("insert", () => {
  it.each([
    ["a\nb\n", 0, "x\n", "x\na\nb\n"],
    ["a\nb\n", 1, "x", "a\nx\nb\n"],
    ["a\nb\n", 2, "x", "a\nb\nx\n"],
    ["a\nb", 2, "x", "a\nb\nx"],
    ["a\nb", 2, "x\n", "a\nb\nx\n"],
    ["", 0, "x", "x\n"],
    ["a\n", 1, "", "a\n"],
    ["a\n", 2, "x", "not applied"],
    ["a\n", -1, "x", "not applied"],
    ["a\n", 0.5, "x", "not applied"],
  ])("built-in insert into %j after %d lines", (content, after, text, result) => {
    expect(inserted(content, after, text)).toBe(result);
  });
});

describe("edit", () => {
  it("built-in edit replaces a text that occurs once", () => {
    expect(edited("a b c", { old: "b", new: "$& x" })).toBe("a $& x c");
    expect(edited("a b b", { old: "b", new: "x" })).toMatch("more than once");
    expect(edited("aaa", { old: "aa", new: "x" })).toBe("xa");
    expect(edited("a", { old: "b", new: "x" })).toMatch("is not in");
    expect(edited("a b b", { old: "b", new: "bb", all: true })).toBe("a bb bb");
    expect(edited("a\r\nb\r\n", { old: "a\nb", new: "x" })).toMatch("is not in");
    expect(edited("a\r\nb\r\n", { old: "b", new: "c\nd" })).toBe("a\r\nc\nd\r\n");
    expect(edited("a", { old: "", new: "x" })).toMatch("not empty");
    expect(edited("", { old: "", new: "x" })).toBe("x");
  });

  it("built-in edit applies a list in order, all or none", () => {
    expect(edited("a", { old: "a", new: "b" }, { old: "b", new: "c" })).toBe("c");
    expect(edited("a", { old: "a", new: "b" }, { old: "a", new: "c" })).toMatch("is not in");
  });

  it("built-in edit keeps every other byte", () => {
    const content = Buffer.from("\xff\xfe\0ä b \r\n\xc3", "latin1");
    expect(edited(content, { old: "b", new: "ö" })).toBe("\xff\xfe\0ä \xc3\xb6 \r\n\xc3");
  });

  it("built-in edit creates a missing file from an empty text", () => {
    const { tree } = scene();
    const edits = [{ old: "", new: "x", all: false }];
    expect(runBuiltin(tree, { action: "edit", path: "d/f", edits })).toMatchObject({
      path: "d/f",
      applied: true,
    });
    expect(tree.read("d/f").toString()).toBe("x");
  });

  it("built-in edit does not let a file grow without bounds", () => {
    const grow = { old: "a", new: "a".repeat(1 << 16), all: true };
    expect(edited("a".repeat(1 << 16), grow)).toBe("failed");
  });
});
