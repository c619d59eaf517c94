// Modes are changed in the tree that was named, whatever replaces its folders meanwhile.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeMode, walk } from "../../../../src/base/fs/walk.js";
import { tempFolder } from "../../../../dev/folders.js";
import { itWith, linux, unmet } from "../../../../dev/needs.js";

/** Returns a tree to walk, and another one that must stay as it is. */
function trees(): { tree: string; victim: string } {
  const folder = tempFolder();
  const [tree, victim] = [join(folder, "tree"), join(folder, "victim")];
  for (const each of [tree, victim]) {
    fs.mkdirSync(join(each, "packs/deep"), { recursive: true });
    for (const name of ["a", "packs/b", "packs/deep/c"]) fs.writeFileSync(join(each, name), name);
  }
  return { tree, victim };
}

function modes(folder: string): Map<string, number> {
  const names = ["", ...(fs.readdirSync(folder, { recursive: true }) as string[])];
  return new Map(names.map((name) => [name, fs.lstatSync(join(folder, name)).mode & 0o777]));
}

/** Makes everything private; `meanwhile` is called with each path just before its mode is changed. */
function tighten(tree: string, meanwhile: (path: string) => void): string[] {
  const left: string[] = [];
  for (const found of walk(tree)) {
    meanwhile(found.path);
    if (changeMode(found, ({ mode }) => mode & 0o700) === "left") left.push(found.path);
  }
  return left;
}

describe("changing modes of a tree", () => {
  it("changing modes reaches every file of the tree, and nothing through a link", () => {
    const { tree, victim } = trees();
    fs.symlinkSync(victim, join(tree, "link"));
    const before = modes(victim);
    expect(tighten(tree, () => undefined)).toEqual([]);
    fs.unlinkSync(join(tree, "link"));
    expect([...modes(tree).values()].every((mode) => (mode & 0o077) === 0)).toBe(true);
    expect(modes(victim)).toEqual(before);
  });

  it.runIf(linux.isThere()).each(["packs", "packs/deep"])(
    `changing modes stays in the tree when %s is swapped for a link${unmet([linux])}`,
    (name) => {
      const { tree, victim } = trees();
      const before = modes(victim);
      tighten(tree, (path) => {
        if (path !== join(tree, name)) return;
        fs.renameSync(path, join(tree, "..", "old"));
        fs.symlinkSync(join(victim, name), path);
      });
      expect(modes(victim)).toEqual(before);
      expect([...modes(join(tree, "..", "old")).values()].every((mode) => (mode & 0o077) === 0)).toBe(true);
    },
  );

  it("changing modes stays in the tree when a file is swapped for a link", () => {
    const { tree, victim } = trees();
    const before = modes(victim);
    tighten(tree, (path) => {
      if (path !== join(tree, "packs/b")) return;
      fs.unlinkSync(path);
      fs.symlinkSync(join(victim, "packs/b"), path);
    });
    expect(modes(victim)).toEqual(before);
  });

  itWith([linux], "changing modes affects the file that was opened when a folder above it is swapped", () => {
    const { tree, victim } = trees();
    const before = modes(victim);
    tighten(tree, (path) => {
      if (path !== join(tree, "packs/b")) return;
      fs.renameSync(join(tree, "packs"), join(tree, "..", "old"));
      fs.symlinkSync(join(victim, "packs"), join(tree, "packs"));
    });
    expect(modes(victim)).toEqual(before);
  });

  it("changing modes skips a file with a second hard link or another owner, and names it", () => {
    const { tree, victim } = trees();
    fs.linkSync(join(victim, "a"), join(tree, "hard"));
    const others = process.geteuid?.() === 0 ? [join(tree, "packs/b")] : [];
    for (const path of others) fs.chownSync(path, 65534, 65534);
    const before = modes(victim);
    expect(tighten(tree, () => undefined)).toEqual([join(tree, "hard"), ...others]);
    expect(modes(victim)).toEqual(before);
  });
});
