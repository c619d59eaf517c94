import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/replay/outcome.js";
import { runBuiltin } from "../../../src/replay/run-builtin.js";
import { Workspace } from "../../../src/replay/workspace.js";
import { snapshot, tempFolder } from "../../../dev/folders.js";

function scene(files: Record<string, string | Buffer>): { root: string; tree: Workspace } {
  const root = tempFolder();
  const tree = new Workspace(root, "/home/ana/repo");
  for (const [path, content] of Object.entries(files)) tree.write(path, Buffer.from(content));
  return { root, tree };
}

function patch(tree: Workspace, body: string[], folder?: string): Outcome {
  return raw(tree, ["*** Begin Patch", ...body, "*** End Patch"].join("\n"), folder);
}

function raw(tree: Workspace, text: string, folder?: string): Outcome {
  return runBuiltin(tree, { action: "patch", format: "v4a", text }, folder);
}

/** Returns what one file becomes by an update. */
function updated(content: string | Buffer, body: string[]): string {
  const { tree } = scene({ f: content });
  const outcome = patch(tree, ["*** Update File: f", ...body]);
  if (outcome.kind === "effect" && outcome.applied) return tree.read("f").toString("latin1");
  return outcome.kind === "effect" ? "not applied" : outcome.kind;
}

describe("a V4A patch", () => {
  it("V4A patch: files are added, updated, moved and deleted", () => {
    const { root, tree } = scene({ "a.py": "def f():\n    pass\n", "old.txt": "x\n", gone: "y\n" });
    const outcome = patch(tree, [
      "*** Add File: new/b.txt",
      "+one",
      "+",
      "+two",
      "*** Update File: a.py",
      "@@ def f():",
      "-    pass",
      "+    return 123",
      "*** Update File: old.txt",
      "*** Move to: deep/er/new.txt",
      "@@",
      "-x",
      "+z",
      "*** Delete File: gone",
    ]);
    expect(outcome).toEqual({ kind: "effect", applied: true });
    expect(tree.read("new/b.txt").toString()).toBe("one\n\ntwo\n");
    expect(tree.read("a.py").toString()).toBe("def f():\n    return 123\n");
    expect(tree.read("deep/er/new.txt").toString()).toBe("z\n");
    expect(fs.readdirSync(root).sort()).toEqual(["a.py", "deep", "new"]);
  });

  it("V4A patch: the file is named when there is one", () => {
    const { tree } = scene({});
    expect(patch(tree, ["*** Add File: a", "+x"])).toEqual({ kind: "effect", path: "a", applied: true });
    expect(patch(tree, ["*** Add File: a", "+y"])).toEqual({ kind: "effect", path: "a", applied: true });
    expect(tree.read("a").toString()).toBe("y\n");
    expect(patch(tree, ["*** Add File: a", "+x"], "sub")).toEqual({
      kind: "effect",
      path: "sub/a",
      applied: true,
    });
    const absolute = patch(tree, ["*** Update File: /home/ana/repo/a", "-y", "+z"], "sub");
    expect(absolute).toEqual({ kind: "effect", path: "a", applied: true });
  });

  it.each([
    ["several changes", "a\nb\nc\nd\n", ["@@", "-a", "+A", "@@", " c", "-d", "+D"], "A\nb\nc\nD\n"],
    ["no marker before the first", "a\nb\n", [" a", "+x", " b"], "a\nx\nb\n"],
    ["only additions, at the end", "a\n", ["@@", "+x"], "a\nx\n"],
    ["only deletions", "a\nb\n", ["@@", "-a"], "b\n"],
    ["a context to begin behind", "x\nf\nx\n", ["@@ f", "-x", "+y"], "x\nf\ny\n"],
    ["the end of the file", "x\ny\nx\n", ["@@", "-x", "+z", "*** End of File"], "x\ny\nz\n"],
    ["an empty line without its space", "a\n\nb\n", ["@@", " a", "", "-b", "+c"], "a\n\nc\n"],
    ["a file without a line feed at its end", "a\nb", ["@@", "-b", "+c"], "a\nc\n"],
    ["other white space at the ends", "a  \nb\n", ["@@", " a", "-b", "+c"], "a\nc\n"],
    ["other white space in front", "\tif x:\n\t\ty\n", ["@@", " if x:", "-  y", "+  z"], "if x:\n  z\n"],
    ["an empty line for the last line feed", "a\nb\n", ["@@", "-b", "-", "+c", "+"], "a\nc\n"],
    ["Windows line ends", "a\r\nb\r\nc\r\n", ["@@", " a", "-b", "+x", "+y"], "a\r\nx\r\ny\r\nc\r\n"],
    ["lines that are not there", "a\n", ["@@", "-b", "+c"], "not applied"],
    ["a context that is not there", "a\n", ["@@ f", "-a", "+c"], "not applied"],
    ["changes in the wrong order", "a\nb\n", ["@@", "-b", "+B", "@@", "-a", "+A"], "not applied"],
    ["more lines than there are", "a\n", ["@@", "-a", "-b", "-c", "+c"], "not applied"],
    ["nothing", "a\n", [], "not applied"],
    ["lines of no kind", "a\n", ["@@", "a"], "not applied"],
    ["a second change without a marker", "a\n", ["@@", " a", "*** End of File", "+b"], "not applied"],
  ])("V4A patch with %s", (_, content, body, result) => {
    expect(updated(content, body)).toBe(result);
  });

  it("V4A patch: lines with other punctuation are found", () => {
    expect(Buffer.from(updated("a – “b”\n", ["@@", '-a - "b"', "+c"]), "latin1").toString()).toBe("c\n");
  });

  it("V4A patch: bytes that are not UTF-8 are kept", () => {
    const content = Buffer.from([0xff, 0x0a, 0x61, 0x0a, 0xc3, 0x0d, 0x0a]);
    expect(updated(content, ["@@", "-a", "+à"])).toBe("\xff\n\xc3\xa0\n\xc3\r\n");
  });

  it("V4A patch: it is read from a here-document", () => {
    const { tree } = scene({ "sub/a": "x\n" });
    const body = "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch";
    expect(raw(tree, `apply_patch <<'EOF'\n${body}\nEOF\n`, "sub")).toMatchObject({ applied: true });
    expect(raw(tree, `<<"EOF"\n${body.replace("-x\n+y", "-y\n+z")}\nEOF`, "sub")).toMatchObject({
      applied: true,
    });
    const there = `cd sub && apply_patch << PATCH\n${body.replace("-x\n+y", "-z\n+w")}\nPATCH`;
    expect(raw(tree, there)).toMatchObject({ applied: true, path: "sub/a" });
    expect(tree.read("sub/a").toString()).toBe("w\n");
    expect(raw(tree, `cd .. && apply_patch <<'EOF'\n${body}\nEOF`)).toMatchObject({ reason: "outside" });
    expect(raw(tree, `rm -rf / ; apply_patch <<'EOF'\n${body}\nEOF`)).toMatchObject({ applied: false });
  });

  it.each([
    "",
    "hello",
    "*** Begin Patch",
    "*** Begin Patch\n*** End Patch",
    "*** Begin Patch\nx\n*** End Patch",
  ])("V4A patch: %j is none, and is not applied", (text) => {
    const { tree } = scene({});
    expect(raw(tree, text)).toMatchObject({ kind: "effect", applied: false });
  });

  it("V4A patch: all files change or none", () => {
    const { root, tree } = scene({ a: "a\n", b: "b\n", "dir/x": "x\n" });
    const before = snapshot(root);
    const first = ["*** Add File: new", "+x", "*** Update File: a", "-a", "+A", "*** Delete File: b"];
    for (const last of [
      ["*** Update File: b", "-b", "+B"],
      ["*** Update File: none", "-b", "+B"],
      ["*** Delete File: none"],
      ["*** Delete File: dir"],
      ["*** Add File: dir", "+x"],
      ["*** Add File: a/b", "+x"],
      ["*** Add File: ../x", "+x"],
      ["*** Update File: a", "*** Move to: /etc/x", "-A", "+a"],
      ["*** Update File: a", "-nope", "+x"],
    ]) {
      expect(patch(tree, [...first, ...last]), last[0]).not.toMatchObject({ applied: true });
      expect(snapshot(root), last[0]).toEqual(before);
    }
  });

  it("V4A patch: a missing file and a path outside are named", () => {
    const { root, tree } = scene({});
    fs.symlinkSync("/etc", join(root, "link"));
    expect(patch(tree, ["*** Update File: none", "-b", "+B"])).toEqual({
      kind: "failed",
      reason: "missing_input",
      message: "there is no file none",
    });
    for (const path of ["../x", "/etc/passwd", "link/passwd"])
      expect(patch(tree, [`*** Update File: ${path}`, "-b", "+B"])).toMatchObject({ reason: "outside" });
  });

  it("V4A patch: one that takes too long is abandoned", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => ` x${index}`);
    const chunks = lines.flatMap((line) => ["@@", `-${line.trim()}`, "+y"]);
    expect(updated(`${lines.join("\n")}\n`, chunks)).toBe("failed");
  });
});
