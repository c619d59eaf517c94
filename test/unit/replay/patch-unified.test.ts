import { createTwoFilesPatch } from "diff";
import { array, assert, boolean, constantFrom, nat, pre, property } from "fast-check";
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

function patch(tree: Workspace, text: string, path?: string): Outcome {
  return runBuiltin(tree, {
    action: "patch",
    format: "unified",
    text,
    ...(path === undefined ? {} : { path }),
  });
}

/** Returns what one file becomes by a diff without headers. */
function updated(content: string | Buffer, hunks: string): string {
  const { tree } = scene({ f: content });
  const outcome = patch(tree, hunks, "f");
  if (outcome.kind === "effect" && outcome.applied) return tree.read("f").toString("latin1");
  return outcome.kind === "effect" ? "not applied" : outcome.kind;
}

const numbers = Array.from({ length: 30 }, (_, index) => `${index + 1}\n`).join("");

describe("a unified diff", () => {
  it("unified diff: files are changed, created, removed and renamed", () => {
    const { root, tree } = scene({ "src/a": "1\n2\n3\n", gone: "x\n", old: "1\n2\n", "plain.sh": "x\n" });
    fs.chmodSync(join(root, "old"), 0o755);
    const text = `From: somebody
diff --git a/src/a b/src/a
index 01e79c3..b5c1f3c 100644
--- a/src/a
+++ b/src/a
@@ -1,3 +1,4 @@ section
 1
-2
+two
+and a half
 3
diff --git a/gone b/gone
deleted file mode 100644
index 587be6b..0000000
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/dir/new b/dir/new
new file mode 100755
index 0000000..587be6b
--- /dev/null
+++ b/dir/new
@@ -0,0 +1,2 @@
+x
+y
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
diff --git a/old b/moved/new
similarity index 50%
rename from old
rename to moved/new
--- a/old
+++ b/moved/new
@@ -1,2 +1,2 @@
 1
-2
+zwei
diff --git a/plain.sh b/plain.sh
old mode 100644
new mode 100755
`;
    expect(patch(tree, text)).toEqual({ kind: "effect", applied: true });
    expect(tree.read("src/a").toString()).toBe("1\ntwo\nand a half\n3\n");
    expect(tree.read("dir/new").toString()).toBe("x\ny\n");
    expect(tree.stat("dir/new")?.mode).toBe(0o755);
    expect(tree.read("empty").toString()).toBe("");
    expect(tree.read("moved/new").toString()).toBe("1\nzwei\n");
    expect(tree.stat("moved/new")?.mode).toBe(0o755);
    expect(tree.stat("plain.sh")?.mode).toBe(0o755);
    expect(fs.readdirSync(root).sort()).toEqual(["dir", "empty", "moved", "plain.sh", "src"]);
  });

  it("unified diff: diff -u writes times and one name too many", () => {
    const { tree } = scene({ "f.c": "1\n" });
    const text =
      "--- f.c.orig\t2024-01-01 10:00:00.0 +0100\n+++ f.c\t2024-01-01 10:00:00.0 +0100\n@@ -1 +1 @@\n-1\n+2\n";
    expect(patch(tree, text)).toEqual({ kind: "effect", path: "f.c", applied: true });
    expect(patch(tree, "--- f.c\n+++ f.c.new\n@@ -1 +1 @@\n-2\n+3\n")).toMatchObject({ path: "f.c" });
    expect(tree.read("f.c").toString()).toBe("3\n");
  });

  it("unified diff: names can have spaces, quotes and any letters", () => {
    const { tree } = scene({ "a b": "1\n", 'ä\t"': "1\n" });
    expect(patch(tree, "diff --git a/a b b/a b\nold mode 100644\nnew mode 100755\n")).toMatchObject({
      path: "a b",
    });
    const quoted = '--- "a/\\303\\244\\t\\""\n+++ "b/\\303\\244\\t\\""\n@@ -1 +1 @@\n-1\n+2\n';
    expect(patch(tree, quoted)).toMatchObject({ applied: true, path: 'ä\t"' });
  });

  it.each([
    ["at its line", numbers, "@@ -2,2 +2,2 @@\n 2\n-3\n+x\n", numbers.replace("\n3\n", "\nx\n")],
    [
      "shifted down",
      `a\nb\n${numbers}`,
      "@@ -9,2 +9,2 @@\n 9\n-10\n+x\n",
      `a\nb\n${numbers}`.replace("\n10\n", "\nx\n"),
    ],
    ["shifted up", "9\n10\n", "@@ -9,2 +9,2 @@\n 9\n-10\n+x\n", "9\nx\n"],
    ["nearest of several", "a\nb\nc\nd\na\ne\n", "@@ -4 +4 @@\n-a\n+x\n", "a\nb\nc\nd\nx\ne\n"],
    ["behind the one before", "a\na\n", "@@ -1 +1 @@\n-a\n+x\n@@ -1 +1 @@\n-a\n+y\n", "x\ny\n"],
    [
      "in a row",
      numbers,
      "@@ -1,2 +1,3 @@\n 1\n+x\n 2\n@@ -9,2 +10,1 @@\n 9\n-10\n",
      numbers.replace("1\n2", "1\nx\n2").replace("\n10\n", "\n"),
    ],
    ["without context", "1\n2\n3\n", "@@ -1,0 +2 @@\n+x\n", "1\nx\n2\n3\n"],
    ["without numbers", "1\n2\n3\n", "@@ ... @@\n 1\n-2\n+x\n", "1\nx\n3\n"],
    ["with wrong counts", "1\n2\n3\n", "@@ -1,9 +1,9 @@\n 1\n-2\n+x\n 3\n", "1\nx\n3\n"],
    ["with counts that are too small", "1\n2\n3\n", "@@ -1 +1 @@\n 1\n-2\n+x\n 3\n", "1\nx\n3\n"],
    ["with dashes in it", "-- a\nx\n", "@@ -1,2 +1,2 @@\n--- a\n+++ b\n x\n", "++ b\nx\n"],
    ["with an empty line that lost its space", "1\n\n3\n", "@@ -1,3 +1,3 @@\n 1\n\n-3\n+x\n", "1\n\nx\n"],
    [
      "that takes the last line feed",
      "1\n2\n",
      "@@ -1,2 +1,2 @@\n 1\n-2\n+2\n\\ No newline at end of file\n",
      "1\n2",
    ],
    [
      "that adds the last line feed",
      "1\n2",
      "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n",
      "1\n2\n",
    ],
    ["that adds behind a line without one", "1", "@@ -1 +1,2 @@\n 1\n+2\n", "1\n2\n"],
    ["in a Windows file, shown", "1\r\n2\r\n", "@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+x\r\n", "1\r\nx\r\n"],
    ["in a Windows file, not shown", "1\r\n2\r\n", "@@ -1,2 +1,2 @@\n 1\n-2\n+x\n", "1\r\nx\r\n"],
    ["that makes a Windows file a Unix one", "1\r\n2\r\n", "@@ -1,2 +1,2 @@\n-1\r\n-2\r\n+1\n+2\n", "1\n2\n"],
    ["that makes a Unix file a Windows one", "1\n", "@@ -1 +1 @@\n-1\n+1\r\n", "1\r\n"],
    ["with Windows ends itself", "1\n2\n", "@@ -1,2 +1,2 @@\r\n 1\r\n-2\r\n+x\r\n", "1\nx\n"],
    ["whose lines are not there", "1\n2\n", "@@ -1 +1 @@\n-x\n+y\n", "not applied"],
    ["whose context is not there", "1\n2\n", "@@ -1,2 +1,2 @@\n-1\n+y\n 3\n", "not applied"],
    [
      "for the end of a longer file",
      "1\n2\n",
      "@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+y\n",
      "not applied",
    ],
    ["that is empty", "1\n", "@@ -1 +1 @@\n", "not applied"],
    ["that is none", "1\n", "hello", "not applied"],
  ])("unified diff: a hunk %s", (_, content, hunks, result) => {
    expect(updated(content, hunks)).toBe(result);
  });

  it("unified diff: bytes that are not UTF-8 are kept", () => {
    const content = Buffer.from([0xff, 0x0a, 0x61, 0x0a, 0xfe]);
    expect(updated(content, "@@ -2 +2 @@\n-a\n+ä\n")).toBe("\xff\n\xc3\xa4\n\xfe");
  });

  it("unified diff: all files change or none", () => {
    const { root, tree } = scene({ a: "1\n", b: "1\n2\n" });
    const before = snapshot(root);
    const first = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n";
    for (const [last, expected] of [
      ["--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+2\n", { applied: false }],
      ["--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+2\n", { applied: false }],
      ["--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", { applied: false }],
      ["--- a/none\n+++ b/none\n@@ -1 +1 @@\n-1\n+2\n", { reason: "missing_input" }],
      ["--- a/../../x\n+++ b/../../x\n@@ -1 +1 @@\n-1\n+2\n", { reason: "outside" }],
      ["--- /dev/null\n+++ /etc/x\n@@ -0,0 +1 @@\n+2\n", { reason: "outside" }],
      ["diff --git a/b b/a\nrename from b\nrename to a\n", { applied: false }],
      ["diff --git a/b b/c\nrename from b\nrename to ../c\n", { reason: "outside" }],
      [
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n",
        { reason: "error" },
      ],
      ["diff --git a/b b/b\nGIT binary patch\nliteral 0\n", { reason: "error" }],
    ] as const) {
      expect(patch(tree, first + last), last).toMatchObject(expected);
      expect(snapshot(root), last).toEqual(before);
    }
  });

  it("unified diff: one without its file is not applied", () => {
    expect(patch(scene({}).tree, "@@ -1 +1 @@\n-1\n+2\n")).toMatchObject({ applied: false });
  });

  it("unified diff: that of any two texts makes one the other", () => {
    const text = array(constantFrom("a", "b", "", "-- a", "++ b", "@@ -1 +1 @@", "é", "x\r"), {
      maxLength: 20,
    });
    assert(
      property(text, text, boolean(), boolean(), nat(3), (old, now, ...rest) => {
        const [isOldEnded, isNowEnded, context] = rest;
        const from = old.join("\n") + (isOldEnded ? "\n" : "");
        const to = now.join("\n") + (isNowEnded ? "\n" : "");
        pre(from !== to && from !== "" && to !== "");
        const diff = createTwoFilesPatch("a/f", "b/f", from, to, undefined, undefined, { context });
        expect(Buffer.from(updated(from, diff), "latin1").toString()).toBe(to);
      }),
      { numRuns: 1000 },
    );
  });
});
