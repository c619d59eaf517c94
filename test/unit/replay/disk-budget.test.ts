// What one replay may write, and what becomes of a file that there is no room for.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiskBudget } from "../../../src/replay/disk-budget.js";
import { runBuiltin } from "../../../src/replay/run-builtin.js";
import { Workspace } from "../../../src/replay/workspace.js";
import { tempFolder } from "../../../dev/folders.js";

const mebi = 1024 ** 2;

function limited(most: { bytes?: number; files?: number }): {
  root: string;
  tree: Workspace;
  disk: DiskBudget;
} {
  const root = tempFolder();
  const disk = new DiskBudget(root, most);
  const tree = new Workspace(root, "/repo");
  tree.limitTo(disk);
  return { root, tree, disk };
}

const atLimit = { kind: "failed", reason: "error", atLimit: true };
const lost = { kind: "failed", reason: "missing_input", atLimit: true };

describe("the disk that a replay may use", () => {
  it("disk budget: built-in tools share it over all steps", () => {
    const { root, tree } = limited({ bytes: 8 * mebi });
    const outcomes = Array.from({ length: 20 }, (_, at) => {
      const written = runBuiltin(tree, { action: "write", path: "f", content: "a".repeat(1000) });
      const grown = runBuiltin(tree, {
        action: "edit",
        path: "f",
        edits: [{ old: "a", new: "a".repeat(1000), all: true }],
      });
      const moved = runBuiltin(tree, { action: "move", from: "f", to: `g${at}` });
      return [written, grown, moved].find(({ kind }) => kind === "failed");
    });
    expect(outcomes.slice(0, 7)).toEqual(Array(7).fill(undefined));
    expect(outcomes.at(-1)).toMatchObject(atLimit);
    const sizes = fs.readdirSync(root).map((name) => fs.statSync(join(root, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(8 * mebi);
  });

  it("disk budget: overwritten and removed bytes do not count", () => {
    const { tree } = limited({ bytes: 4 * mebi });
    for (let step = 0; step < 20; step++) {
      tree.write("same", Buffer.alloc(mebi));
      tree.write(`other${step}`, Buffer.alloc(mebi));
      tree.remove(`other${step}`);
    }
    expect(() => tree.write("big", Buffer.alloc(4 * mebi))).toThrow("a replay may use 4 MiB of disk");
  });

  it("disk budget: files and folders are limited, also folders on the way to a file", () => {
    const { tree } = limited({ files: 100 });
    expect(() => tree.write("a/".repeat(200) + "f", Buffer.from("x"))).toThrow("100 files");
    const { tree: flat } = limited({ files: 100 });
    expect(() => {
      for (let at = 0; at < 200; at++) flat.makeFolder(`d${at}`);
    }).toThrow("100 files");
  });

  it("disk budget: it is never more than half of the free space", () => {
    const root = tempFolder();
    const { bavail, bsize } = fs.statfsSync(root);
    const disk = new DiskBudget(root, { bytes: Number.MAX_SAFE_INTEGER });
    expect(() => disk.reserve(bavail * bsize * 0.6)).toThrow("a replay may use");
  });

  it("disk budget: files that were there before do not count", () => {
    const { root, tree, disk } = limited({ bytes: 4 * mebi });
    fs.writeFileSync(join(root, "ground"), Buffer.alloc(6 * mebi));
    disk.resetBaseline();
    tree.write("f", Buffer.alloc(3 * mebi));
    expect(() => tree.write("g", Buffer.alloc(3 * mebi))).toThrow("a replay may use");
  });
});

describe("a file that there is no room for", () => {
  it("disk budget: a file without room leaves nothing, and fails dependent steps until it is written", () => {
    const { root, tree } = limited({ bytes: mebi });
    tree.write("other", Buffer.from("x"));
    fs.mkdirSync(join(root, "d"));
    fs.writeFileSync(join(root, "d/f"), "old");
    expect(() => tree.write("d/f", Buffer.alloc(2 * mebi))).toThrow("a replay may use");
    expect(fs.existsSync(join(root, "d/f"))).toBe(false);
    const all = { path: ".", isDeep: true };
    expect(runBuiltin(tree, { action: "read", path: "d/f" })).toMatchObject(lost);
    expect(runBuiltin(tree, { action: "list", ...all })).toMatchObject(lost);
    expect(runBuiltin(tree, { action: "glob", pattern: "*", path: "." })).toMatchObject(lost);
    expect(runBuiltin(tree, { action: "append", path: "d/f", content: "x" })).toMatchObject(lost);
    expect(runBuiltin(tree, { action: "read", path: "other" })).toMatchObject({ kind: "output" });
    tree.write("d/f", Buffer.from("new"));
    expect(runBuiltin(tree, { action: "list", ...all })).toMatchObject({ kind: "output" });
  });

  it("disk budget: a file without room undoes its whole patch", () => {
    const { root, tree } = limited({ bytes: mebi });
    tree.write("a", Buffer.from("1\n"));
    const big = `+${"x".repeat(2 * mebi)}\n`;
    const text = `*** Begin Patch\n*** Update File: a\n-1\n+2\n*** Add File: b\n${big}*** End Patch\n`;
    expect(runBuiltin(tree, { action: "patch", format: "v4a", text })).toMatchObject(atLimit);
    expect(fs.readFileSync(join(root, "a"), "utf8")).toBe("1\n");
    expect(fs.existsSync(join(root, "b"))).toBe(false);
  });
});
