import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { StepFailure } from "../../../src/replay/outcome.js";
import { NotApplied } from "../../../src/replay/outcome.js";
import { Workspace } from "../../../src/replay/workspace.js";
import { snapshot, tempFolder } from "../../../dev/folders.js";

const secret = "not for you";

/** Returns a workspace, with a folder beside it that nothing may reach. */
function scene(): { root: string; out: string; tree: Workspace } {
  const top = tempFolder();
  const root = join(top, "ws");
  const out = join(top, "out");
  fs.mkdirSync(root);
  fs.mkdirSync(out);
  fs.writeFileSync(join(out, "secret"), secret);
  return { root, out, tree: new Workspace(root, "/home/ana/repo") };
}

/** Returns the reason for which it fails. */
function reason(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StepFailure) return error.reason;
    throw error;
  }
  return "none";
}

function text(tree: Workspace, path: string): string {
  return tree.read(path).toString();
}

function descriptors(): number {
  return fs.readdirSync("/proc/self/fd").length;
}

function put(tree: Workspace, path: string, content: string): void {
  tree.write(path, Buffer.from(content));
}

describe("a path in a tool call", () => {
  const { tree } = scene();

  it.each([
    ["a.txt", undefined, "a.txt"],
    ["./a//b/../c.txt", undefined, "a/c.txt"],
    ["a.txt", "src", "src/a.txt"],
    ["../a.txt", "src/deep", "src/a.txt"],
    ["a.txt", "/home/ana/repo/src", "src/a.txt"],
    ["/home/ana/repo/a.txt", "src", "a.txt"],
    ["/home/ana/repo", undefined, ""],
    ["/home/ana/repo/", undefined, ""],
    [".", undefined, ""],
    ["../repo/a.txt", undefined, "a.txt"],
    ["a~", undefined, "a~"],
    ["...", undefined, "..."],
    ["a\nb", undefined, "a\nb"],
  ])("workspace path: %j in %j is %j", (path, folder, located) => {
    expect(tree.locate(path, folder)).toBe(located);
  });

  it.each([
    ["../x", undefined],
    ["../../../../etc/passwd", undefined],
    ["a/../../x", undefined],
    ["/etc/passwd", undefined],
    ["/home/ana/repository", undefined],
    ["/home/ana/repo/../x", undefined],
    ["/home/ana", undefined],
    ["/proc/self/root/etc/passwd", undefined],
    ["/dev/stdin", undefined],
    ["~", undefined],
    ["~/.ssh/id_rsa", undefined],
    ["a.txt", "/etc"],
    ["a.txt", ".."],
  ])("workspace path: %j in %j is outside", (path, folder) => {
    expect(reason(() => tree.locate(path, folder))).toBe("outside");
  });

  it.each([
    ["C:\\Users\\ana\\repo\\src\\a.txt", "src/a.txt"],
    ["c:/users/ana/repo/src/a.txt", "src/a.txt"],
    ["C:\\Users\\ana\\repo", ""],
    ["src\\a.txt", "src/a.txt"],
    ["D:\\notes\\b.txt", ".outside/D/notes/b.txt"],
    ["C:\\Users\\ana\\repository", undefined],
    ["C:\\Windows\\x", undefined],
    ["..\\x", undefined],
  ])("workspace path: %j of a run on Windows is %j", (path, located) => {
    const outside = new Set([".outside/D/notes/b.txt"]);
    const windows = new Workspace("/none", "/workspace", { outside, workdir: "C:\\Users\\ana\\repo" });
    if (located === undefined) expect(reason(() => windows.locate(path))).toBe("outside");
    else expect(windows.locate(path)).toBe(located);
    expect(windows.locate("a.txt", "C:\\Users\\ana\\repo\\src")).toBe("src/a.txt");
  });

  it("workspace: files from outside are beside it, and no path leads from there to elsewhere", () => {
    const { root, out } = scene();
    const outsideRoot = join(root, "../outside");
    fs.mkdirSync(outsideRoot);
    const tools = new Workspace(root, "/home/ana/repo", {
      outside: new Set([".outside/home/ana/notes.txt", ".outside/link/secret"]),
      outsideRoot,
    });
    tools.write(tools.locate("/home/ana/notes.txt"), Buffer.from("notes"));
    expect(tools.read(tools.locate("../notes.txt")).toString()).toBe("notes");
    expect(tools.stat(".outside/home/ana/notes.txt")?.kind).toBe("file");
    expect(tools.list("")).toEqual([]);
    expect(fs.readdirSync(root)).toEqual([]);
    tools.write("a.txt", Buffer.from("a"));
    expect(fs.readFileSync(join(root, "a.txt"), "utf8")).toBe("a");
    fs.symlinkSync(out, join(outsideRoot, "link"));
    expect(reason(() => tools.read(tools.locate("/link/secret")))).toBe("outside");
    tools.close();
  });

  it.each(["", "a\0b", "x/".repeat(40_000)])("workspace path: an impossible one is an error", (path) => {
    expect(reason(() => tree.locate(path))).toBe("error");
  });
});

describe("links", () => {
  it("workspace links: they are followed while they stay inside", () => {
    const { root, tree } = scene();
    put(tree, "a/b/file", "x");
    fs.symlinkSync("b", join(root, "a/near"));
    fs.symlinkSync("../a/near/file", join(root, "a/around"));
    fs.symlinkSync("/home/ana/repo/a", join(root, "absolute"));
    fs.symlinkSync("a/b/../near/./", join(root, "winding"));
    for (const path of ["a/near/file", "a/around", "absolute/b/file", "absolute/around", "winding/file"])
      expect(text(tree, path), path).toBe("x");
    put(tree, "absolute/near/file", "y");
    expect(text(tree, "a/b/file")).toBe("y");
    expect(fs.lstatSync(join(root, "absolute")).isSymbolicLink()).toBe(true);
  });

  it("workspace links: a dangling one is written through", () => {
    const { root, tree } = scene();
    fs.symlinkSync("new/file", join(root, "link"));
    put(tree, "link", "x");
    expect(text(tree, "new/file")).toBe("x");
  });

  it.each([
    ["a relative one", (out: string) => `../out${out.slice(out.length)}`],
    ["an absolute one", (out: string) => out],
    ["one through /proc", (out: string) => `/proc/self/root${out}`],
    ["one above the workspace as it is seen", () => "/home/ana/repo/../../../etc"],
    ["the root", () => "/"],
    ["one that leaves and comes back", () => "../ws"],
  ])("workspace links: %s that leads out is refused by every operation", (_, target) => {
    const { root, out, tree } = scene();
    fs.symlinkSync(target(out), join(root, "link"));
    fs.symlinkSync("link", join(root, "second"));
    fs.mkdirSync(join(root, "sub"));
    fs.symlinkSync("../second", join(root, "sub/third"));
    const before = snapshot(out);
    put(tree, "mine", "x");
    for (const folder of ["link", "second", "sub/third"]) {
      const path = `${folder}/secret`;
      expect(reason(() => tree.read(path))).toBe("outside");
      expect(reason(() => put(tree, path, "x"))).toBe("outside");
      expect(reason(() => put(tree, folder, "x"))).toBe("outside");
      expect(reason(() => put(tree, `${folder}/new/file`, "x"))).toBe("outside");
      expect(reason(() => tree.stat(path))).toBe("outside");
      expect(reason(() => tree.list(folder))).toBe("outside");
      expect(reason(() => tree.walk(folder, () => undefined))).toBe("outside");
      expect(reason(() => tree.remove(path))).toBe("outside");
      expect(reason(() => tree.move(path, "stolen"))).toBe("outside");
      expect(reason(() => tree.move("mine", path))).toBe("outside");
      expect(reason(() => tree.makeFolder(`${folder}/made`))).toBe("outside");
    }
    expect(snapshot(out)).toEqual(before);
  });

  it("workspace links: circles end", () => {
    const { root, tree } = scene();
    fs.symlinkSync("b", join(root, "a"));
    fs.symlinkSync("a", join(root, "b"));
    fs.symlinkSync("self/self", join(root, "self"));
    for (const path of ["a", "a/x", "self", "self/x"]) {
      expect(reason(() => tree.read(path))).toBe("error");
      expect(reason(() => put(tree, path, "x"))).toBe("error");
    }
  });

  it("workspace links: at the end of a path the link itself is removed or moved", () => {
    const { root, out, tree } = scene();
    fs.symlinkSync(out, join(root, "link"));
    tree.move("link", "other");
    expect(fs.readlinkSync(join(root, "other"))).toBe(out);
    tree.remove("other");
    expect(fs.readdirSync(root)).toEqual([]);
    expect(fs.readFileSync(join(out, "secret"), "utf8")).toBe(secret);
  });

  it("workspace links: they are not followed when a folder is removed or walked", () => {
    const { root, out, tree } = scene();
    fs.mkdirSync(join(root, "a"));
    fs.symlinkSync(out, join(root, "a/link"));
    const seen: string[] = [];
    tree.walk("", ({ path, kind }) => void seen.push(`${path} ${kind}`));
    expect(seen.sort()).toEqual(["a folder", "a/link link"]);
    tree.remove("a");
    expect(fs.existsSync(join(out, "secret"))).toBe(true);
  });

  it("workspace links: one in place of a folder redirects nothing", () => {
    const { root, out, tree } = scene();
    put(tree, "a/secret", "mine");
    fs.renameSync(join(root, "a"), join(root, "b"));
    fs.symlinkSync(out, join(root, "a"));
    expect(reason(() => tree.read("a/secret"))).toBe("outside");
    expect(reason(() => put(tree, "a/secret", "x"))).toBe("outside");
  });

  it("workspace links: one swapped in during a walk redirects nothing", async () => {
    const { root, out, tree } = scene();
    put(tree, "a/b/secret", "mine");
    fs.mkdirSync(join(out, "b"));
    fs.writeFileSync(join(out, "b/secret"), secret);
    fs.symlinkSync(out, join(root, "link"));
    const before = snapshot(out);
    const swapping = `
      const fs = require("node:fs");
      const { workerData: root } = require("node:worker_threads");
      const rename = (from, to) => { try { fs.renameSync(root + from, root + to); return true; } catch { return false; } };
      for (let round = 0; ; round++) {
        rename("/a", "/kept");
        // A folder that a write made meanwhile is in the way.
        while (!rename("/link", "/a")) rename("/a", "/junk" + round++);
        rename("/a", "/link");
        while (!rename("/kept", "/a")) rename("/a", "/junk" + round++);
      }`;
    const worker = new Worker(swapping, { eval: true, workerData: root });
    await new Promise((resolve) => worker.once("online", resolve));
    const seen = new Set<string>();
    for (let round = 0; round < 1000; round++) {
      seen.add(reason(() => expect(text(tree, "a/b/secret")).not.toBe(secret)));
      seen.add(reason(() => put(tree, "a/b/secret", "mine")));
      seen.add(reason(() => put(tree, "a/b/deep/secret", "mine")));
      seen.add(reason(() => tree.remove("a/b/deep")));
    }
    await worker.terminate();
    expect(snapshot(out)).toEqual(before);
    expect(seen).toContain("none");
  });
});

describe("a folder that is moved out while it is walked", () => {
  it("a workspace folder that is moved out while it is walked ends the walk", () => {
    const { root, out, tree } = scene();
    put(tree, "a/b/file", "x");
    const seen: string[] = [];
    const walk = (): void =>
      tree.walk("", ({ path }) => {
        seen.push(path);
        if (path === "a/b/file") fs.renameSync(join(root, "a/b"), join(out, "b"));
      });
    expect(reason(walk)).toBe("outside");
    expect(seen).not.toContain("secret");
  });
});

describe("what is no file", () => {
  it("workspace: a pipe or socket is refused without waiting for it", async () => {
    const { root, tree } = scene();
    execFileSync("mkfifo", [join(root, "pipe")]);
    fs.symlinkSync("pipe", join(root, "link"));
    const server = createServer().listen(join(root, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    fs.mkdirSync(join(root, "folder"));
    for (const path of ["pipe", "link", "socket", "folder", ""]) {
      expect(
        reason(() => tree.read(path)),
        path,
      ).toBe("error");
      expect(
        reason(() => put(tree, path, "x")),
        path,
      ).toBe("error");
    }
    expect(tree.stat("pipe")?.kind).toBe("other");
    tree.remove("pipe");
    server.close();
  });

  it("workspace: a device is refused", ({ skip }) => {
    const { root, tree } = scene();
    try {
      execFileSync("mknod", [join(root, "null"), "c", "1", "3"], { stdio: "ignore" });
    } catch {
      skip("devices can be made by root only");
    }
    expect(reason(() => tree.read("null"))).toBe("error");
    expect(reason(() => put(tree, "null", "x"))).toBe("error");
  });
});

describe("files", () => {
  it("workspace files: they are created with their folders, and keep their mode and identity", () => {
    const { root, tree } = scene();
    put(tree, "a/b/run.sh", "one");
    expect(fs.statSync(join(root, "a/b/run.sh")).mode & 0o777).toBe(0o644);
    expect(fs.statSync(join(root, "a/b")).mode & 0o777).toBe(0o755);
    fs.chmodSync(join(root, "a/b/run.sh"), 0o755);
    fs.linkSync(join(root, "a/b/run.sh"), join(root, "hard"));
    put(tree, "a/b/run.sh", "2");
    expect(fs.statSync(join(root, "hard")).mode & 0o777).toBe(0o755);
    expect(text(tree, "hard")).toBe("2");
  });

  it("workspace files: when root creates them, they belong to the owner of their folder", ({ skip }) => {
    const { root, tree } = scene();
    if (process.geteuid?.() !== 0) skip("only root can give files away");
    fs.chownSync(root, 65_534, 65_534);
    put(tree, "a/b", "x");
    for (const path of ["a", "a/b"]) expect(fs.statSync(join(root, path)).uid, path).toBe(65_534);
  });

  it("workspace files: they cannot replace a file in their path", () => {
    const { tree } = scene();
    put(tree, "a", "x");
    expect(reason(() => put(tree, "a/b", "x"))).toBe("error");
    expect(reason(() => tree.read("a/b"))).toBe("error");
    expect(() => tree.makeFolder("a")).toThrow(NotApplied);
    expect(reason(() => put(tree, "n".repeat(300), "x"))).toBe("error");
  });

  it("workspace files: a missing one is reported as missing", () => {
    const { tree } = scene();
    expect(() => tree.read("none")).toThrow("there is no file none");
    for (const work of [
      () => tree.read("none"),
      () => tree.read("none/a"),
      () => tree.remove("none"),
      () => tree.remove("none/a"),
      () => tree.move("none", "b"),
      () => tree.list("none"),
    ])
      expect(reason(work)).toBe("missing_input");
    expect(tree.stat("none/a")).toBeUndefined();
    expect(tree.list("")).toEqual([]);
  });

  it("workspace files: names can have any bytes", () => {
    const { root, tree } = scene();
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x0a, 0xe9])]);
    fs.mkdirSync(odd);
    fs.writeFileSync(Buffer.concat([odd, Buffer.from("/ä\n")]), "x");
    put(tree, "ö\nü", "x");
    expect(tree.list("").map(({ name }) => Buffer.from(name, "latin1"))).toEqual([
      Buffer.from("ö\nü"),
      Buffer.from([0xff, 0x0a, 0xe9]),
    ]);
    const contents: string[] = [];
    tree.walk("", (entry) => {
      if (entry.kind === "file") contents.push(entry.open((file) => fs.readFileSync(file, "utf8")));
    });
    expect(contents).toEqual(["x", "x"]);
    tree.move("ö\nü", "plain");
    tree.makeFolder("all");
    fs.renameSync(odd, join(root, "all", "odd"));
    tree.remove("all");
    expect(fs.readdirSync(root)).toEqual(["plain"]);
  });
});

describe("folders", () => {
  it("workspace folders: they are not overwritten, nor is the workspace itself touched", () => {
    const { root, tree } = scene();
    put(tree, "a/x", "1");
    put(tree, "b/y", "2");
    expect(() => tree.move("a", "b")).toThrow(NotApplied);
    expect(() => tree.move("a/x", "b")).toThrow(NotApplied);
    tree.move("a", "c/d/a");
    tree.move("b/y", "c/d/a/x");
    expect(text(tree, "c/d/a/x")).toBe("2");
    expect(reason(() => tree.move("c", "c/d/e"))).toBe("error");
    expect(reason(() => tree.remove(""))).toBe("error");
    expect(reason(() => tree.move("", "x"))).toBe("error");
    expect(reason(() => tree.move("b", ""))).toBe("error");
    expect(fs.existsSync(root)).toBe(true);
  });

  it("workspace folders: they can be 3,000 deep", () => {
    const { root, tree } = scene();
    const deep = "folder/".repeat(3000);
    tree.makeFolder(deep.slice(0, -1));
    put(tree, `${deep}file`, "x");
    expect(text(tree, `${deep}file`)).toBe("x");
    let longest = 0;
    tree.walk("", ({ path }) => void (longest = Math.max(longest, path.length)));
    expect(longest).toBe(deep.length + 4);
    tree.move("folder", "moved");
    tree.remove("moved");
    expect(fs.readdirSync(root)).toEqual([]);
  });

  it("workspace folders: no descriptor stays open", () => {
    const { root, out, tree } = scene();
    put(tree, "a/b/c", "x");
    fs.symlinkSync(out, join(root, "link"));
    const before = descriptors();
    for (let round = 0; round < 20; round++) {
      tree.read("a/b/c");
      tree.walk("", () => undefined);
      reason(() => tree.read("link/x"));
      reason(() => tree.read("a/b/c/d"));
      reason(() => tree.read("none"));
      put(tree, `d${round}/e`, "x");
      tree.remove(`d${round}`);
    }
    tree.close();
    expect(descriptors()).toBe(before);
  });
});
