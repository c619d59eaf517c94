// Which users can read a store that the built program made under several umasks.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { program, wordsOf } from "../../dev/built.js";
import { lastingFolder, tempFolder } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, root } from "../../dev/needs.js";

/** Another user. */
const other = 65534;

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs ctx under a umask, and perhaps as another user. */
function ctx(umask: string, folder: string, args: readonly string[], user?: number): Ran {
  const { status, stdout, stderr } = spawnSync(
    "/bin/sh",
    ["-c", `umask ${umask}; exec "$@"`, "sh", ...wordsOf(program), ...args],
    {
      cwd: folder,
      encoding: "utf8",
      input: json(smallLog()),
      env: { PATH: process.env["PATH"], HOME: join(folder, "home"), NO_COLOR: "1" },
      ...(user === undefined ? {} : { uid: user, gid: user }),
    },
  );
  return { status, stdout, stderr };
}

/** Returns every mode in a store, of folders and of files, each once. */
function modesIn(root: string): { folders: string[]; files: string[] } {
  const found = { folders: new Set<string>(), files: new Set<string>() };
  for (const name of ["", ...(fs.readdirSync(root, { recursive: true }) as string[])]) {
    const stat = fs.lstatSync(join(root, name));
    (stat.isDirectory() ? found.folders : found.files).add((stat.mode & 0o777).toString(8));
  }
  return { folders: [...found.folders].sort(), files: [...found.files].sort() };
}

/** All that writes into a store. */
function useAll(umask: string, folder: string): void {
  for (const args of [
    ["pack", "-", "--tag", "one"],
    ["log"],
    ["fork", "latest"],
    ["fork", "latest", ".ctx/drafts/mine"],
    ["tag", "two", "latest"],
    ["verify", "--all"],
    ["verify", "latest"],
    ["gc", "--grace", "0d"],
  ])
    expect({ args, ...ctx(umask, folder, args) }).toMatchObject({ status: 0 });
}

describe("a store that ctx init made", () => {
  it.each(["000", "002", "022", "027", "077"])(
    "a private store is its owner's alone under umask %s",
    (umask) => {
      const folder = tempFolder();
      expect(ctx(umask, folder, ["init"]).status).toBe(0);
      const root = join(folder, ".ctx");
      useAll(umask, folder);
      expect(modesIn(root)).toEqual({ folders: ["700"], files: ["400", "600"] });
      // Folders that were lost come back as they were.
      fs.rmSync(join(root, "cache"), { recursive: true });
      fs.rmSync(join(root, "refs"), { recursive: true });
      fs.rmSync(join(root, "drafts"), { recursive: true });
      useAll(umask, folder);
      expect(modesIn(root)).toEqual({ folders: ["700"], files: ["400", "600"] });
    },
  );

  it.each([
    ["000", ["775"], ["444", "600", "644"]],
    ["002", ["775"], ["444", "600", "644"]],
    ["022", ["755"], ["444", "600", "644"]],
    ["027", ["750"], ["440", "600", "640"]],
  ])(
    "a store made with --shared has the modes of umask %s, and is never writable by all",
    (umask, folders, files) => {
      const folder = tempFolder();
      expect(ctx(umask, folder, ["init", "--shared"]).status).toBe(0);
      useAll(umask, folder);
      const found = modesIn(join(folder, ".ctx"));
      expect(found.folders).toEqual(folders);
      for (const mode of found.files) expect(files).toContain(mode);
    },
  );

  it("ctx init under umask 0 makes a folder that others cannot write to, and a private store in it", () => {
    const folder = tempFolder();
    expect(ctx("000", folder, ["init", "a/b"]).status).toBe(0);
    expect(fs.statSync(join(folder, "a/b")).mode & 0o002).toBe(0);
    expect(fs.statSync(join(folder, "a/b/.ctx")).mode & 0o777).toBe(0o700);
  });

  it("ctx init closes an empty .ctx that was open", () => {
    const folder = tempFolder();
    fs.mkdirSync(join(folder, ".ctx"), { mode: 0o755 });
    expect(ctx("022", folder, ["init"]).status).toBe(0);
    expect(fs.statSync(join(folder, ".ctx")).mode & 0o777).toBe(0o700);
  });

  it("ctx pack in a private store writes sidecars with the modes of the umask", () => {
    const folder = tempFolder();
    ctx("022", folder, ["init"]);
    const log = smallLog({ outputs: [{ name: "a.txt", content: "made" }] });
    fs.writeFileSync(join(folder, "a.txt"), "made");
    fs.writeFileSync(join(folder, "log.json"), json(log));
    expect(ctx("022", folder, ["pack", "log.json"]).status).toBe(0);
    expect(fs.statSync(join(folder, "a.txt.ctx.json")).mode & 0o777).toBe(0o644);
  });
});

describeWith([root], "a .ctx of another user", () => {
  it("a .ctx that cannot be opened ends the search with its owner's name, not with a store further up", () => {
    const outer = lastingFolder();
    expect(ctx("022", outer, ["init", "--shared"]).status).toBe(0);
    const inner = join(outer, "project/deep");
    fs.mkdirSync(inner, { recursive: true });
    expect(ctx("022", join(outer, "project"), ["init"]).status).toBe(0);
    for (const args of [["log"], ["pack", "-"], ["verify", "--all"], ["gc"], ["scan", "latest"]]) {
      const { status, stderr } = ctx("022", inner, args, 65534);
      expect({ args, status }).toEqual({ args, status: 2 });
      expect(stderr).toContain("/project/.ctx cannot be opened: it belongs to root");
      expect(stderr).not.toContain("there is no .ctx store");
    }
    expect(ctx("022", outer, ["log"], 65534).status).toBe(0);
    const { status, stdout } = ctx("022", inner, ["doctor"], 65534);
    expect(status).toBe(1);
    expect(stdout).toContain("cannot be opened");
  });

  it("a private store cannot be read by others, whatever the modes of its files", () => {
    const folder = lastingFolder();
    ctx("000", folder, ["init"]);
    ctx("000", folder, ["pack", "-"]);
    const [pack = ""] = fs.readdirSync(join(folder, ".ctx/packs"));
    const read = spawnSync("cat", [join(folder, ".ctx/packs", pack)], { uid: 65534, gid: 65534 });
    expect(read.status).not.toBe(0);
  });
});

describeWith([root], "a pack that may not be read", () => {
  it.each(["its folder", "its file"])(
    "a pack that may not be read (%s) is marked in ctx log, and the others are listed",
    (what) => {
      const folder = lastingFolder();
      expect(ctx("022", folder, ["init", "--shared"]).status).toBe(0);
      const hex = ctx("022", folder, ["pack", "-"]).stdout.trim().slice("ctx://".length);
      fs.writeFileSync(join(folder, "other.json"), json(smallLog({ metadata: { second: true } })));
      expect(ctx("022", folder, ["pack", "other.json"]).status).toBe(0);
      const shelf = join(folder, ".ctx/objects", hex.slice(0, 2));
      fs.chmodSync(what === "its folder" ? shelf : join(shelf, hex.slice(2)), 0);
      const { status, stdout, stderr } = ctx("022", folder, ["log", "--oneline"], 65534);
      expect(stdout.trim().split("\n")).toHaveLength(2);
      expect(stdout).toMatch(new RegExp(`${hex.slice(0, 12)}.*damaged`));
      expect(stderr).toContain("permission denied");
      expect(status).toBe(0);
    },
  );
});

describeWith([root], "a private store under a umask that takes access from the owner", () => {
  it.each(["0777", "0277"])("a private store made under umask %s can be used by its owner", (umask) => {
    const folder = lastingFolder();
    fs.chownSync(folder, 65534, 65534);
    expect(ctx(umask, folder, ["init"], 65534)).toMatchObject({ status: 0, stderr: "" });
    expect(ctx(umask, folder, ["pack", "-"], 65534).status).toBe(0);
    expect(ctx("022", folder, ["verify", "--all"], 65534).status).toBe(0);
    const { folders, files } = modesIn(join(folder, ".ctx"));
    expect(folders).toEqual(["700"]);
    expect(files.every((mode) => mode === "400" || mode === "600")).toBe(true);
  });
});

describe("files outside the store under a umask that takes access from the owner", () => {
  it.each(["0777", "0277"])(
    "files that ctx makes outside a store under umask %s can be used by their owner",
    (umask) => {
      const folder = lastingFolder();
      fs.chownSync(folder, other, other);
      const run = (...args: string[]): Ran => ctx(umask, folder, args, other);
      for (const args of [
        ["init"],
        ["pack", "-"],
        ["fork", "latest", "mine"],
        ["export", "latest", "-o", "pack.tar"],
        ["trust"],
        ["remote", "add", "team", "oci://127.0.0.1:1/a/b"],
        ["remote"],
        ["hook", "install", "claude-code", "--yes"],
        ["hook", "remove", "claude-code", "--yes"],
        ["trust", "--forget"],
      ])
        expect({ args, ...run(...args) }).toMatchObject({ status: 0 });
      for (const name of ["mine", "pack.tar", "home/.config/ctx", "home/.local/state/ctx"])
        expect((fs.lstatSync(join(folder, name)).mode & 0o600).toString(8)).toBe("600");
    },
  );
});

describeWith([root], "a cache that root made in a user's private store", () => {
  it("a cache folder that root made in a user's private store fails neither gc nor doctor --fix of its owner", () => {
    const folder = lastingFolder();
    fs.chownSync(folder, other, other);
    expect(ctx("022", folder, ["init"], other).status).toBe(0);
    fs.rmSync(join(folder, ".ctx/cache"), { recursive: true, force: true });
    fs.mkdirSync(join(folder, ".ctx/cache/downloads"), { recursive: true, mode: 0o700 });
    for (const args of [["gc"], ["doctor", "--fix", "--private"]])
      expect({ args, ...ctx("022", folder, args, other) }).toMatchObject({ status: 0 });
  });
});
