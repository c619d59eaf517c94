// What a log says about files: their names, what they were before, and what they are at the end.
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/base/digest.js";
import { FileStates, type KeptFile } from "../../../src/intake/file-states.js";
import { nameProblem } from "../../../src/model/names.js";

/** States of files whose contents can be looked at. */
function states(workdir?: string) {
  const blobs = new Map<string, Buffer>();
  const files = new FileStates((bytes) => {
    const hex = sha256(bytes);
    blobs.set(hex, Buffer.from(bytes));
    return { hex, size: bytes.length };
  });
  if (workdir !== undefined) files.setWorkdir(workdir);
  const texts = (kept: KeptFile[]): Record<string, string | undefined> =>
    Object.fromEntries(
      kept.map(({ name, content }) => [name, blobs.get(content.stored.hex)?.toString("utf8")]),
    );
  return { files, blobs, inputs: () => texts(files.inputs()), outputs: () => texts(files.outputs()) };
}

describe("the name of a file", () => {
  it.each<[workdir: string | undefined, path: string, name: string]>([
    ["/home/ana/repo", "/home/ana/repo/src/a.ts", "src/a.ts"],
    ["/home/ana/repo/", "/home/ana/repo/src/a.ts", "src/a.ts"],
    ["/home/ana/repo", "src/a.ts", "src/a.ts"],
    ["/home/ana/repo", "./src//a.ts", "src/a.ts"],
    ["/home/ana/repo", "src/../b.ts", "b.ts"],
    ["/home/ana/repo", "/home/ana/repo/../repo/a.ts", "a.ts"],
    ["/home/ana/repo", "../other/a.ts", ".outside/home/ana/other/a.ts"],
    ["/home/ana/repo", "/home/ana/repo/../x.ts", ".outside/home/ana/x.ts"],
    ["/home/ana/repo", "../../../../../../etc/passwd", ".outside/etc/passwd"],
    ["/home/ana/repo", "/etc/passwd", ".outside/etc/passwd"],
    ["/home/ana/repo", "/home/ana/repository/a.ts", ".outside/home/ana/repository/a.ts"],
    ["/home/ana/repo", "..a/b..c", "..a/b..c"],
    ["/home/ana/repo", "/home/ana/repo/a b/ü😀.md", "a b/ü😀.md"],
    ["/home/ana/../ana//repo/.", "/home/ana/repo/a.ts", "a.ts"],
    ["/", "/home/ana/a.ts", "home/ana/a.ts"],
    ["/", "home/ana/a.ts", "home/ana/a.ts"],
    [undefined, "a.ts", "a.ts"],
    [undefined, "/home/ana/a.ts", ".outside/home/ana/a.ts"],
  ])("file names: in %s, the name of %s is %s", (workdir, path, name) => {
    expect(states(workdir).files.nameOf(path)).toBe(name);
  });

  it.each<[workdir: string | undefined, path: string, name: string]>([
    ["C:\\Users\\ana\\repo", "C:\\Users\\ana\\repo\\src\\a.ts", "src/a.ts"],
    ["C:\\Users\\ana\\repo\\", "C:/Users/ana/repo/src/a.ts", "src/a.ts"],
    ["C:\\Users\\ana\\repo", "src\\a.ts", "src/a.ts"],
    ["C:\\Users\\ana\\repo", "..\\a.ts", ".outside/C/Users/ana/a.ts"],
    ["C:\\Users\\ana\\repo", "D:\\data\\a.ts", ".outside/D/data/a.ts"],
    ["C:\\", "C:\\a.ts", "a.ts"],
    ["/home/ana/repo", "C:\\Windows\\a.ini", ".outside/C/Windows/a.ini"],
    [undefined, "C:\\a.ts", ".outside/C/a.ts"],
    ["\\\\wsl$\\home\\ana", "\\\\wsl$\\home\\ana\\a.ts", "a.ts"],
    ["\\\\wsl$\\home\\ana", "a.ts", "a.ts"],
    ["\\\\server\\share", "\\\\server\\other\\a.ts", ".outside/server/other/a.ts"],
  ])("file names: on Windows in %s, the name of %s is %s", (workdir, path, name) => {
    expect(states(workdir).files.nameOf(path)).toBe(name);
  });

  it("file names: the name of any path is one that a pack may have", () => {
    const odd = [
      "",
      ".",
      "..",
      "/",
      "\\",
      "//",
      "C:",
      "c:\\",
      "a\0b",
      "\0",
      "x".repeat(300),
      "é".repeat(200),
    ];
    const long = [`/${"d/".repeat(3000)}f`, `${"😀".repeat(100)}/a`, `${`${"y".repeat(200)}/`.repeat(30)}a`];
    for (const workdir of [undefined, "/", "/home/ana", "C:\\x", "relative", "..", "\0"])
      for (const path of [
        ...odd,
        ...long,
        ...odd.map((one) => `/home/ana/${one}`),
        ...odd.map((one) => `../${one}`),
      ])
        expect(
          nameProblem(states(workdir).files.nameOf(path)),
          `${workdir} ${path.slice(0, 50)}`,
        ).toBeUndefined();
  });

  it("file names: names are relative to the first folder", () => {
    const { files } = states("/a");
    files.setWorkdir("/b");
    expect([files.nameOf("/a/x"), files.nameOf("/b/x")]).toEqual(["x", ".outside/b/x"]);
  });
});

describe("inputs and outputs", () => {
  it("file states: a file that was only read has its first state as input", () => {
    const { files, inputs, outputs } = states("/r");
    files.see("/r/a", "one");
    files.see("/r/a", "two");
    expect([inputs(), outputs()]).toEqual([{ a: "one" }, {}]);
  });

  it("file states: a file that was read and changed has its first state as input and its last as output", () => {
    const { files, inputs, outputs } = states("/r");
    files.see("/r/a", "one");
    files.before("/r/a", "one");
    files.after("/r/a", "two");
    expect(files.textOf("/r/a")).toBe("two");
    files.before("/r/a", "two, changed by somebody");
    files.after("/r/a", "three");
    files.see("/r/a", "four, after a formatter");
    expect([inputs(), outputs()]).toEqual([{ a: "one" }, { a: "four, after a formatter" }]);
  });

  it("file states: a file that the run created has no input", () => {
    const { files, inputs, outputs } = states("/r");
    files.before("/r/a", null);
    files.after("/r/a", "new");
    files.see("/r/a", "new");
    files.before("/r/a", "new");
    files.after("/r/a", "newer");
    expect([inputs(), outputs()]).toEqual([{}, { a: "newer" }]);
  });

  it("file states: a file that was changed before it was seen has no input", () => {
    const { files, inputs, outputs } = states("/r");
    files.after("/r/a", "changed");
    files.see("/r/a", "changed");
    files.before("/r/a", "changed");
    expect([inputs(), outputs()]).toEqual([{}, {}]);
    files.after("/r/a", "again");
    expect([inputs(), outputs()]).toEqual([{}, { a: "again" }]);
  });

  it("file states: a file that was removed has an input and no output", () => {
    const { files, inputs, outputs } = states("/r");
    files.see("/r/a", "one");
    files.after("/r/a", null);
    expect([inputs(), outputs(), files.unknownOutputs]).toEqual([{ a: "one" }, {}, 0]);
    expect(files.textOf("/r/a")).toBeUndefined();
    files.after("/r/a", "back");
    expect([inputs(), outputs()]).toEqual([{ a: "one" }, { a: "back" }]);
  });

  it("file states: a file that was created and removed has neither input nor output", () => {
    const { files, inputs, outputs } = states("/r");
    files.before("/r/a", null);
    files.after("/r/a", "one");
    files.after("/r/a", null);
    expect([inputs(), outputs(), files.unknownOutputs]).toEqual([{}, {}, 0]);
  });

  it("file states: files whose final content is unknown are counted", () => {
    const { files, inputs, outputs } = states("/r");
    files.see("/r/a", "one");
    files.after("/r/a", undefined);
    files.after("/r/b", undefined);
    files.after("/r/c", "known");
    expect([inputs(), outputs(), files.unknownOutputs]).toEqual([{ a: "one" }, { c: "known" }, 2]);
    files.see("/r/b", "seen afterwards");
    expect([outputs(), files.unknownOutputs]).toEqual([{ b: "seen afterwards", c: "known" }, 1]);
  });

  it("file states: a file is one file under all its paths", () => {
    const { files, inputs, outputs } = states("/r");
    files.see("./a", "one");
    files.after("/r/x/../a", "two");
    expect(files.textOf("a")).toBe("two");
    expect([inputs(), outputs()]).toEqual([{ a: "one" }, { a: "two" }]);
  });

  it("file states: files of the same name outside the folder are told apart", () => {
    const { files, inputs } = states("/r");
    for (const path of ["a", "/a", "/r2/a", "../s/a"]) files.see(path, `of ${path}`);
    expect(inputs()).toEqual({
      a: "of a",
      ".outside/a": "of /a",
      ".outside/r2/a": "of /r2/a",
      ".outside/s/a": "of ../s/a",
    });
  });

  it("file states: contents may be empty, and may be bytes", () => {
    const { files, blobs, outputs, inputs } = states("/r");
    files.see("/r/empty", "");
    files.after("/r/emptied", "");
    files.see("/r/bytes", Buffer.from([0, 255]));
    expect(inputs()).toMatchObject({ empty: "" });
    expect(outputs()).toEqual({ emptied: "" });
    expect(blobs.get(sha256(Buffer.from([0, 255])))).toEqual(Buffer.from([0, 255]));
  });

  it("file states: attachments are inputs, listed after the files", () => {
    const { files, inputs } = states("/r");
    expect(files.attach("png", Buffer.from("picture"))).toBe(".attached/1.png");
    files.see("/r/a", "one");
    expect(Object.keys(inputs())).toEqual(["a", ".attached/1.png"]);
  });

  it("file states: the text of a file that was only shown is not held in memory", () => {
    const { files, outputs } = states("/r");
    files.see("/r/a", "one", { isHeld: false });
    expect(files.textOf("/r/a")).toBeUndefined();
    files.after("/r/a", "two");
    files.see("/r/a", "three", { isHeld: false });
    expect([files.textOf("/r/a"), outputs()]).toEqual(["three", { a: "three" }]);
  });

  it("file states: all contents are there although more text was read than is held in memory", () => {
    const { files, inputs, outputs } = states("/r");
    const mebibyte = 1 << 20;
    const text = (at: number): string => `${at} ${"x".repeat(mebibyte)}`;
    for (let at = 0; at < 30; at++) {
      files.see(`/r/read-${at}`, text(at));
      files.before(`/r/file-${at}`, `before ${at}`);
      files.after(`/r/file-${at}`, text(at));
      // The text that was just seen can be edited.
      expect(files.textOf(`/r/file-${at}`)).toBe(text(at));
    }
    const held = Array.from({ length: 30 }, (_, at) =>
      ["read", "file"].map((kind) => files.textOf(`/r/${kind}-${at}`)?.length ?? 0),
    ).flat();
    expect(held.reduce((sum, size) => sum + size, 0)).toBeLessThan(9 * mebibyte);
    expect(held[0]).toBe(0);
    // A file that was put away can be changed again.
    files.after("/r/file-0", "changed again");
    const made = outputs();
    expect(Object.keys(made).length).toBe(30);
    expect(made["file-0"]).toBe("changed again");
    for (let at = 1; at < 30; at++) expect(made[`file-${at}`] === text(at)).toBe(true);
    const before = inputs();
    for (let at = 0; at < 30; at++) {
      expect(before[`file-${at}`]).toBe(`before ${at}`);
      expect(before[`read-${at}`] === text(at)).toBe(true);
    }
    expect(files.unknownOutputs).toBe(0);
  });

  it("file states: a file that is larger than all that is held in memory is kept", () => {
    const { files, outputs } = states("/r");
    const large = "x".repeat(10 << 20);
    files.after("/r/large", large);
    files.after("/r/small", "small");
    const made = outputs();
    expect([made["large"] === large, made["small"]]).toEqual([true, "small"]);
  });
});

describe("submissions", () => {
  it("file states: a submission keeps its name unless a file of the run has it", () => {
    const { files } = states("/r");
    files.deliver(".submission.patch", "patch");
    expect(files.delivered().map(({ name }) => name)).toEqual([".submission.patch"]);
    files.after("/r/.submission.patch", "a file");
    expect(files.delivered().map(({ name }) => name)).toEqual([".submitted.submission.patch"]);
  });
});
