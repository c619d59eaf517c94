import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256, toReference } from "../../../src/base/digest.js";
import { OutputWatch, type WatchedOutput } from "../../../src/replay/output-watch.js";
import { Workspace } from "../../../src/replay/workspace.js";
import { identifyUnreadable } from "../../../src/replay/unreadable.js";
import { tempFolder } from "../../../dev/folders.js";

let root: string;
let tree: Workspace;

beforeEach(() => {
  root = tempFolder();
  tree = new Workspace(root, "/workspace");
});

const output = (name: string, content: string): { name: string; content_ref: `sha256:${string}` } => ({
  name,
  content_ref: toReference(sha256(Buffer.from(content))),
});

function put(name: string, content: string): void {
  fs.writeFileSync(join(root, name), content);
}

/** A step that does not say what it changes. */
function ran(watch: OutputWatch, step: number, work: () => void): void {
  watch.beforeProgram();
  work();
  watch.afterProgram(step);
}

const makers = (watched: readonly WatchedOutput[]): (number | undefined)[] =>
  watched.map(({ madeBy }) => madeBy);

describe("the step that made an output", () => {
  it("maker of an output: the last step that changed its bytes, whatever its size and times", () => {
    const watch = new OutputWatch(tree, [output("a", "2")], 3);
    const time = new Date(1_700_000_000_000);
    ran(watch, 0, () => put("a", "1"));
    ran(watch, 1, () => {
      // The same size and time as before, in the same file.
      put("a", "2");
      fs.utimesSync(join(root, "a"), time, time);
    });
    ran(watch, 2, () => fs.utimesSync(join(root, "a"), time, time));
    expect(makers(watch.finish())).toEqual([1]);
  });

  it("maker of an output: it is found through a link that names another file", () => {
    fs.symlinkSync("a", join(root, "link"));
    const watch = new OutputWatch(tree, [output("a", "1")], 3);
    watch.addChange(0, { paths: ["link"], isWhole: true, isApplied: true });
    tree.write("link", Buffer.from("1"));
    expect(watch.finish()).toMatchObject([{ madeBy: 0, isUnchanged: false }]);
  });

  it("maker of an output: none for a file that was restored, or that cannot be a file", () => {
    put("a", "1");
    const watch = new OutputWatch(tree, [output("a", "1"), output("/etc/passwd", "x")], 2);
    ran(watch, 0, () => put("a", "2"));
    ran(watch, 1, () => put("a", "1"));
    expect(watch.finish()).toMatchObject([{ isUnchanged: true }, { madeBy: undefined, path: undefined }]);
  });

  it("maker of an output: it is found where there are too many outputs to check after each step", () => {
    const outputs = Array.from({ length: 100 }, (_, index) => output(`f${index}`, "x"));
    const watch = new OutputWatch(tree, outputs, 1_000_000);
    ran(watch, 0, () => put("f7", "x"));
    ran(watch, 1, () => undefined);
    const [made] = watch.finish().filter(({ output: { name } }) => name === "f7");
    expect(made).toMatchObject({ actual: outputs[7]?.content_ref });
    expect(made?.madeBy).toBeDefined();
  });
});

const modeOf = (path: string): number => fs.statSync(join(root, path)).mode & 0o777;

describe("a file without permissions", () => {
  it("reading outputs: files without permissions and in closed folders are read, and keep their modes", () => {
    fs.mkdirSync(join(root, "d/e"), { recursive: true });
    put("d/e/out", "x");
    for (const path of ["d/e/out", "d/e", "d", "."]) fs.chmodSync(join(root, path), 0);
    const seen = identifyUnreadable(root, "d/e/out", (descriptor, { mode }) => {
      expect(mode & 0o400).toBe(0o400);
      return fs.readFileSync(descriptor, "utf8");
    });
    expect(seen).toBe("x");
    expect(modeOf(".")).toBe(0);
    fs.chmodSync(root, 0o700);
    expect(modeOf("d")).toBe(0);
    fs.chmodSync(join(root, "d"), 0o700);
    expect(modeOf("d/e")).toBe(0);
    fs.chmodSync(join(root, "d/e"), 0o700);
    expect(modeOf("d/e/out")).toBe(0);
  });

  it("reading outputs: a missing name, or a file in place of a folder, means there is none", () => {
    put("a", "x");
    for (const path of ["none", "none/b", "a/b"])
      expect(
        identifyUnreadable(root, path, () => "read"),
        path,
      ).toBeUndefined();
  });

  it("reading outputs: the mode of what a link leads to does not change", () => {
    const other = tempFolder();
    fs.writeFileSync(join(other, "f"), "x", { mode: 0o200 });
    fs.symlinkSync(join(other, "f"), join(root, "link"));
    expect(identifyUnreadable(root, "link", () => "read")).toMatch(/^link /);
    expect(fs.statSync(join(other, "f")).mode & 0o777).toBe(0o200);
  });
});
