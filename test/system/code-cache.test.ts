// V8's code caches: made at first use, in the user's own cache folder, and used only where no other user can
// have written them. With one, without one, and with a bad one, ctx does the same.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { ctx, program, type Ran, run } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, itWith, onNode, root } from "../../dev/needs.js";
import { start } from "../../dev/processes.js";

let home: string;
let folder: string;

beforeEach(() => {
  home = tempFolder();
  folder = join(home, ".cache/ctx");
});

/** Returns the user's own environment, with caches enabled. */
function own(): Record<string, string> {
  return { HOME: home, XDG_CACHE_HOME: "", NODE_DISABLE_COMPILE_CACHE: "" };
}

function help(env: Record<string, string> = {}, command = "show"): Ran {
  return ctx([command, "--help"], { cwd: home, env: { ...own(), ...env } });
}

function caches(at = folder): string[] {
  return fs.existsSync(at) ? fs.readdirSync(at).sort() : [];
}

/** Returns the program that a cache is of. */
const kindsIn = (at = folder): string[] => caches(at).map((name) => name.split("-")[1] ?? "");

/** The number of the last change of a file: another one when it was written again. */
const idOf = (name: string): number => fs.statSync(join(folder, name)).ino;

describeWith([onNode], "a code cache", () => {
  it("a code cache is made at first use, for its owner alone, and not rewritten once it has what a call needs", () => {
    const first = help();
    expect(first.status).toBe(0);
    const [name = "", ...others] = caches();
    expect(others).toEqual([]);
    expect(name).toMatch(
      new RegExp(`^program-look-[0-9a-f]{12}-${process.version}-${process.arch}-[0-9a-f]{8}\\.cache$`),
    );
    expect(fs.statSync(join(home, ".cache")).mode & 0o777).toBe(0o700);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    expect(fs.statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    for (let call = 0; call < 3; call++) expect(help()).toEqual(first);
    const settled = idOf(name);
    for (let call = 0; call < 3; call++) expect(help()).toEqual(first);
    expect(idOf(name)).toBe(settled);
    expect(help({}, "pack").status).toBe(0);
    expect(help({}, "replay").status).toBe(0);
    expect(kindsIn()).toEqual(["all", "look", "pack"]);
    expect(caches().filter((one) => one.startsWith("."))).toEqual([]);
  });

  it("a code cache is in XDG_CACHE_HOME if that is an absolute path", () => {
    const other = join(home, "other");
    help({ XDG_CACHE_HOME: other });
    expect(kindsIn(join(other, "ctx"))).toEqual(["look"]);
    help({ XDG_CACHE_HOME: "relative" });
    expect(fs.existsSync(join(home, "relative"))).toBe(false);
    expect(kindsIn()).toEqual(["look"]);
  });

  it("a code cache is not shared with other options of Node or a changed program", () => {
    help();
    help({ NODE_OPTIONS: "--max-old-space-size=512" });
    expect(kindsIn()).toEqual(["look", "look"]);
    const copy = tempFolder();
    fs.cpSync(join(program, ".."), copy, { recursive: true });
    const env = own();
    const changed = (): Ran =>
      run(process.execPath, [join(copy, "ctx.cjs"), "show", "--help"], { cwd: home, env });
    expect(changed().stdout).toContain("ctx show");
    expect(caches()).toHaveLength(3);
    // Of the same length, which is all that V8 compares.
    const [name = ""] = fs.readdirSync(copy).filter((one) => one.startsWith("program-look"));
    const text = fs.readFileSync(join(copy, name), "latin1");
    expect(text).toContain("print results and errors");
    fs.writeFileSync(
      join(copy, name),
      text.replaceAll("print results and errors", "PRINT results and errors"),
    );
    expect(changed().stdout).toContain("PRINT results and errors");
  });

  it.each<[string, (file: string) => void]>([
    ["is no cache", (file) => fs.writeFileSync(file, "not a cache")],
    ["is empty", (file) => fs.writeFileSync(file, "")],
    ["was cut", (file) => fs.truncateSync(file, fs.statSync(file).size >> 1)],
    [
      "lost a block in a power cut",
      (file) => {
        const bytes = fs.readFileSync(file);
        fs.writeFileSync(file, bytes.fill(0, 4096, 8192));
      },
    ],
    [
      "is of another program",
      (file) => {
        help({}, "pack");
        const [other = ""] = caches().filter((name) => name.includes("pack"));
        fs.copyFileSync(join(folder, other), file);
      },
    ],
    [
      "is a link",
      (file) => {
        fs.renameSync(file, `${file}.real`);
        fs.symlinkSync(`${file}.real`, file);
      },
    ],
    ["can be written by others", (file) => fs.chmodSync(file, 0o666)],
    [
      "is a pipe",
      (file) => {
        fs.rmSync(file);
        run("mkfifo", [file], { cwd: home });
      },
    ],
    [
      "is a folder",
      (file) => {
        fs.rmSync(file);
        fs.mkdirSync(file);
      },
    ],
  ])("a code cache that %s is not used, and does no harm", (_, spoil) => {
    const said = help();
    const [name = ""] = caches();
    spoil(join(folder, name));
    for (let call = 0; call < 3; call++) expect(help()).toEqual(said);
  });

  it.each<[string, () => void]>([
    ["that others can write to", () => fs.chmodSync(folder, 0o777)],
    [
      "that is a link",
      () => {
        fs.renameSync(folder, join(home, "elsewhere"));
        fs.symlinkSync(join(home, "elsewhere"), folder);
      },
    ],
    [
      "that is a file",
      () => {
        fs.rmSync(folder, { recursive: true });
        fs.writeFileSync(folder, "");
      },
    ],
  ])("a code cache is neither read from nor written to a folder %s", (_, spoil) => {
    const said = help();
    spoil();
    const before = caches(fs.statSync(folder).isDirectory() ? folder : home);
    expect(help()).toEqual(said);
    expect(help({}, "pack").status).toBe(0);
    expect(caches(fs.statSync(folder).isDirectory() ? folder : home)).toEqual(before);
  });

  it("a code cache is not made without a home, without one that can be written, or with NODE_DISABLE_COMPILE_CACHE", () => {
    const said = help({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(said.status).toBe(0);
    for (const path of ["", "/nonexistent", "/proc", "/dev/null", "/proc/self/fd"])
      expect(help({ HOME: path, XDG_CACHE_HOME: path })).toEqual(said);
    expect(caches()).toEqual([]);
  });

  itWith([root], "a code cache is only ever its owner's: root makes none in another user's home", () => {
    fs.chownSync(home, 65534, 65534);
    const said = help();
    expect(fs.existsSync(join(home, ".cache"))).toBe(false);
    fs.mkdirSync(folder, { recursive: true });
    fs.chownSync(join(home, ".cache"), 65534, 65534);
    fs.chownSync(folder, 65534, 65534);
    expect(help()).toEqual(said);
    expect(caches()).toEqual([]);
  });

  itWith([root], "a code cache is not written where ~/.cache is another user's link", () => {
    fs.rmSync(join(home, ".cache"), { recursive: true, force: true });
    fs.mkdirSync(join(home, "elsewhere"));
    fs.symlinkSync(join(home, "elsewhere"), join(home, ".cache"));
    fs.lchownSync(join(home, ".cache"), 65534, 65534);
    expect(help().status).toBe(0);
    expect(fs.readdirSync(join(home, "elsewhere"))).toEqual([]);
    fs.lchownSync(join(home, ".cache"), 0, 0);
    expect(help().status).toBe(0);
    expect(fs.readdirSync(join(home, "elsewhere"))).not.toEqual([]);
  });

  it("a code cache can be made by many processes at once", async () => {
    const said = help();
    fs.rmSync(folder, { recursive: true });
    const env = own();
    const crowd = Array.from({ length: 12 }, () =>
      start(process.execPath, [program, "show", "--help"], { env }),
    );
    for (const { ended } of crowd)
      expect(await ended).toMatchObject({ status: 0, stderr: "", stdout: said.stdout });
    expect(kindsIn()).toEqual(["look"]);
    expect(help()).toEqual(said);
  });

  it("a code cache of an older version is removed, and so is an unfinished one", () => {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const old = (name: string, age: number): void => {
      fs.writeFileSync(join(folder, name), "");
      const time = new Date(Date.now() - age * 3_600_000);
      fs.utimesSync(join(folder, name), time, time);
    };
    for (let at = 0; at < 40; at++) old(`program-all-00000000000${at % 10}-v1-x-${at}.cache`, at + 5);
    old(".program-all-1.cache.123", 2);
    old(".program-all-2.cache.124", 0);
    old("mine.txt", 1000);
    help();
    expect(caches().filter((name) => name.startsWith("program-"))).toHaveLength(16);
    expect(kindsIn()).toContain("look");
    expect(caches().filter((name) => !name.startsWith("program-"))).toEqual([
      ".program-all-2.cache.124",
      "mine.txt",
    ]);
  });
});
