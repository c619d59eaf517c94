// A store in a git work tree: a private one is kept out of it, a shared one survives every attribute that a
// repository may set.
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { init } from "../../src/ops/init.js";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import { verify } from "../../dev/provenance.js";

const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"];

function git(folder: string, ...args: string[]): string {
  const { GIT_DIR: _d, GIT_WORK_TREE: _w, ...env } = process.env;
  return execFileSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  });
}

function newRepository(): string {
  const folder = tempFolder();
  git(folder, "init", "--quiet");
  fs.writeFileSync(join(folder, "readme"), "x\n");
  git(folder, "add", "-A");
  git(folder, "commit", "--quiet", "-m", "first");
  return folder;
}

/** Returns what git would commit of a store. */
function seen(folder: string): string[] {
  return git(folder, "status", "--porcelain", "--untracked-files=all")
    .split("\n")
    .filter((line) => line.includes(".ctx"));
}

describeWith([program("git")], "a private store in a git work tree", () => {
  const lineFor = /git ignores it \(its own \.gitignore, and .*info\/exclude\)/;

  it("a private store is not seen by git, and init says so in one line", async () => {
    const folder = newRepository();
    const { stdout, stderr, status } = await cli(["init"], { folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.split("\n").filter((line) => lineFor.test(line))).toHaveLength(1);
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    expect(seen(folder)).toEqual([]);
    expect(fs.readFileSync(join(folder, ".git/info/exclude"), "utf8")).toMatch(/\n\/\.ctx\/\n$/);
    const again = await cli(["init"], { folder });
    expect(again.stdout).toMatch(/^the store already exists/);
  });

  it("a private store in a subfolder, a work tree, a submodule or with GIT_DIR is ignored by git", async () => {
    const folder = newRepository();
    fs.mkdirSync(join(folder, "a [b]*?/c\\d"), { recursive: true });
    await cli(["init", "a [b]*?/c\\d"], { folder });
    expect(fs.existsSync(join(folder, "a [b]*?/c\\d/.ctx/config.json"))).toBe(true);
    expect(seen(folder)).toEqual([]);

    const tree = join(tempFolder(), "tree");
    git(folder, "worktree", "add", "--quiet", tree);
    const inTree = await cli(["init", "--json"], { folder: tree });
    expect(JSON.parse(inTree.stdout)).toMatchObject({ excluded: join(folder, ".git/info/exclude") });
    expect(seen(tree)).toEqual([]);

    const inner = newRepository();
    git(folder, "submodule", "--quiet", "add", inner, "sub");
    const inSub = await cli(["init", "--json"], { folder: join(folder, "sub") });
    expect(JSON.parse(inSub.stdout)).toMatchObject({
      excluded: join(folder, ".git/modules/sub/info/exclude"),
    });
    expect(seen(join(folder, "sub"))).toEqual([]);

    const away = tempFolder();
    fs.renameSync(join(inner, ".git"), join(away, "repo"));
    const env = { GIT_DIR: join(away, "repo"), GIT_WORK_TREE: inner };
    const byEnv = await cli(["init", "--json"], { folder: inner, env });
    expect(JSON.parse(byEnv.stdout)).toMatchObject({ excluded: join(away, "repo/info/exclude") });
    const { status } = spawnSync("git", ["check-ignore", "-q", ".ctx"], {
      cwd: inner,
      env: { ...process.env, ...env },
    });
    expect(status).toBe(0);
  });

  it("ctx init works without git, without a repository, and where .git is something else", async () => {
    const folder = newRepository();
    fs.rmSync(join(folder, ".git/info"), { recursive: true });
    const { stdout } = await cli(["init"], { folder, env: { PATH: "" } });
    expect(stdout).toMatch(lineFor);
    expect(seen(folder)).toEqual([]);
    for (const make of [
      (): void => undefined,
      (at: string): void => fs.mkdirSync(join(at, ".git")),
      (at: string): void => fs.writeFileSync(join(at, ".git"), "gitdir: /nowhere\n"),
      (at: string): void => fs.symlinkSync(".git", join(at, ".git")),
    ]) {
      const plain = tempFolder();
      make(plain);
      const made = await cli(["init"], { folder: plain });
      expect({ status: made.status, stdout: made.stdout }).toEqual({
        status: 0,
        stdout: `made the store ${plain}/.ctx\n`,
      });
    }
  });

  it("ctx init makes a private store though info/exclude cannot be written, and says so", async () => {
    const folder = newRepository();
    const victim = join(tempFolder(), "victim");
    fs.writeFileSync(victim, "mine\n");
    fs.rmSync(join(folder, ".git/info/exclude"));
    fs.symlinkSync(victim, join(folder, ".git/info/exclude"));
    const { status, stderr } = await cli(["init"], { folder });
    expect(status).toBe(0);
    expect(stderr).toContain("the store is not in git's info/exclude");
    expect(fs.readFileSync(victim, "utf8")).toBe("mine\n");
    expect(seen(folder)).toEqual([]);
    fs.writeFileSync(join(folder, ".ctx/.gitignore"), "tmp/\n");
    const { stdout } = await cli(["doctor"], { folder });
    expect(stdout).toContain("git would commit this private store");
    expect(stdout).toContain("lets git commit this private store");
  });

  it("a private store is not committed by a repository that is made around it, or that it is moved into", async () => {
    const folder = tempFolder();
    await cli(["init"], { folder });
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    git(folder, "init", "--quiet");
    git(folder, "add", "-A");
    expect(git(folder, "ls-files", ".ctx")).toBe("");
    const other = newRepository();
    fs.renameSync(join(folder, ".ctx"), join(other, ".ctx"));
    expect(seen(other)).toEqual([]);
    expect((await cli(["doctor"], { folder: other })).stdout).not.toContain("this private store");
  });

  it.each([
    ["names the store", "!.ctx/\n!.ctx/**\n"],
    ["is a list of what to allow", "/*\n!/.*\n!/.*/**\n"],
  ])("a private store is not committed where the repository's .gitignore %s", async (_name, patterns) => {
    const folder = newRepository();
    fs.writeFileSync(join(folder, ".gitignore"), patterns);
    await cli(["init"], { folder });
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    expect(seen(folder)).toEqual([]);
    git(folder, "add", "-A");
    expect(git(folder, "ls-files", ".ctx")).toBe("");
    expect((await cli(["doctor"], { folder })).stdout).not.toContain("this private store");
  });

  it("a private store is not committed by a bare repository whose work tree is the home folder", async () => {
    const home = tempFolder();
    const bare = join(tempFolder(), "dotfiles");
    git(home, "init", "--quiet", "--bare", bare);
    await cli(["init"], { folder: home });
    await cli(["pack", "-"], { folder: home, input: json(smallLog()) });
    const dotfiles = [`--git-dir=${bare}`, `--work-tree=${home}`];
    git(home, ...dotfiles, "add", "-A");
    expect(git(home, ...dotfiles, "ls-files", ".ctx")).toBe("");
  });

  it("ctx doctor --fix writes the store's .gitignore, and keeps other lines of it byte for byte", async () => {
    const folder = newRepository();
    await cli(["init"], { folder });
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    const path = join(folder, ".ctx/.gitignore");
    const mine = Buffer.from("mine-\xe9\n!packs/\n", "latin1");
    fs.writeFileSync(path, Buffer.concat([Buffer.from("*\n"), mine]));
    expect((await cli(["doctor"], { folder })).stdout).toContain("lets git commit this private store");
    await cli(["doctor", "--fix"], { folder });
    expect(fs.readFileSync(path)).toEqual(Buffer.concat([Buffer.from("*\n"), mine, Buffer.from("*\n")]));
    expect(seen(folder)).toEqual([]);
    await cli(["doctor", "--fix", "--shared"], { folder });
    const list = "tmp/\nlocks/\ncache/\ndrafts/\nrefs/latest\nrecordings/\nheads/self\n";
    expect(fs.readFileSync(path)).toEqual(Buffer.concat([mine, Buffer.from(list)]));
    expect(seen(folder).length).toBeGreaterThan(0);
    fs.appendFileSync(path, "*\n");
    expect((await cli(["doctor"], { folder })).stdout).toContain("keeps this shared store out of git");
    await cli(["doctor", "--fix"], { folder });
    expect(fs.readFileSync(path)).toEqual(Buffer.concat([mine, Buffer.from(list)]));
    await cli(["doctor", "--fix", "--private"], { folder });
    expect(seen(folder)).toEqual([]);
    expect((await cli(["doctor", "--fix"], { folder })).stdout).not.toContain("fixed");
  });

  it("ctx doctor --fix does not make a cloned store private that has no modes for others", async () => {
    const folder = newRepository();
    await cli(["init", "--shared"], { folder });
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    // A store that ctx 0.1 made and a team committed.
    fs.writeFileSync(join(folder, ".ctx/config.json"), '{"version":"0.1"}');
    git(folder, "add", "-A");
    git(folder, "commit", "--quiet", "-m", "a run");
    const copy = join(tempFolder(), "copy");
    git(folder, "clone", "--quiet", folder, copy);
    spawnSync("chmod", ["-R", "go=", join(copy, ".ctx")]);
    expect((await cli(["doctor"], { folder: copy })).stdout).not.toContain("lets git commit");
    await cli(["doctor", "--fix"], { folder: copy });
    expect(git(copy, "status", "--porcelain")).toBe("");
  });

  it("ctx init and doctor --fix change no other byte of info/exclude, and replace the file as a whole", async () => {
    const folder = newRepository();
    const path = join(folder, ".git/info/exclude");
    const mine = Buffer.from("caf\xe9\r\n\xff\xfe last line", "latin1");
    fs.writeFileSync(path, mine);
    fs.chmodSync(path, 0o640);
    const { ino } = fs.lstatSync(path);
    fs.mkdirSync(join(folder, "caf\u00e9"));
    await cli(["init", "caf\u00e9"], { folder });
    const line = Buffer.from("\n/caf\u00e9/.ctx/\n");
    expect(fs.readFileSync(path)).toEqual(Buffer.concat([mine, line]));
    expect(fs.lstatSync(path).ino).not.toBe(ino);
    expect(fs.lstatSync(path).mode & 0o777).toBe(0o640);
    await cli(["doctor", "--fix", "--shared"], { folder: join(folder, "caf\u00e9") });
    expect(fs.readFileSync(path)).toEqual(Buffer.concat([mine, Buffer.from("\n")]));
    expect(fs.readdirSync(join(folder, ".git/info")).filter((name) => name.includes("ctx"))).toEqual([]);
  });

  it("ctx init --shared leaves the store to git, and so does the library", async () => {
    const folder = newRepository();
    expect((await cli(["init", "--shared"], { folder })).stdout).toBe(`made the store ${folder}/.ctx\n`);
    expect(JSON.parse(fs.readFileSync(join(folder, ".ctx/config.json"), "utf8"))).toEqual({
      version: "0.1",
      shared: true,
    });
    expect(seen(folder).length).toBeGreaterThan(0);
    const other = newRepository();
    expect(init(other, { shared: true })).toMatchObject({ created: true, shared: true });
    expect(seen(other).length).toBeGreaterThan(0);
    expect(init(other)).toMatchObject({ created: false, shared: true });
  });
});

describeWith([program("git")], "a private store whose config.json git pull replaced", () => {
  it("ctx doctor --fix does not make a private store shared because git pull replaced its config.json", async () => {
    const folder = newRepository();
    await cli(["init"], { folder });
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    fs.writeFileSync(join(folder, ".ctx/config.json"), '{"version":"0.1","shared":true}\n');
    const { stdout } = await cli(["doctor"], { folder });
    expect(stdout).toContain("config.json says that it is shared, but only its owner");
    await cli(["doctor", "--fix"], { folder });
    expect(seen(folder)).toEqual([]);
    expect(fs.readFileSync(join(folder, ".git/info/exclude"), "utf8")).toContain("/.ctx/\n");
    expect(fs.readFileSync(join(folder, ".ctx/.gitignore"), "utf8")).toMatch(/^\*\n/);
    await cli(["doctor", "--fix", "--private"], { folder });
    expect((await cli(["doctor"], { folder })).stdout).not.toContain("config.json says that it is shared");
  });
});

describeWith([program("git")], "a shared store where a private one was", () => {
  it("a shared store where a private one was is not ignored by git, and doctor says if it is", async () => {
    const folder = newRepository();
    await cli(["init"], { folder });
    fs.rmSync(join(folder, ".ctx"), { recursive: true });
    await cli(["init", "--shared"], { folder });
    expect(seen(folder).some((line) => line.endsWith(".ctx/config.json"))).toBe(true);
    fs.writeFileSync(join(folder, ".git/info/exclude"), "/.ctx/\n");
    expect((await cli(["doctor"], { folder })).stdout).toContain("git ignores this shared store");
    await cli(["doctor", "--fix"], { folder });
    expect((await cli(["doctor"], { folder })).stdout).not.toContain("git ignores this shared store");
    fs.writeFileSync(join(folder, ".git/info/exclude"), "/.ctx/\n");
    expect((await cli(["init", "--shared"], { folder })).stdout).toContain("the store already exists");
    expect(seen(folder).length).toBeGreaterThan(0);
  });
});

/** Contents that each of the attributes would change. */
const contents = [
  "/* $Id: main.c,v 1.7 2003/05/01 alice Exp $ */\n",
  "one\r\ntwo\nthree\r\n",
  "one\ntwo\n",
  "$Format:%H$\n",
  "clean me\n",
];

function touchyLog(): AnyLog {
  return smallLog({
    prompts: contents.map((content) => ({ role: "user", content })),
    outputs: [{ name: "utf16", content_base64: Buffer.from("\ufeffhi\r\n", "utf16le").toString("base64") }],
  });
}

const settings: [name: string, attributes: string][] = [
  ["ident", "* ident"],
  ["text", "* text"],
  ["text=auto", "* text=auto"],
  ["eol=crlf", "* text eol=crlf"],
  ["eol alone", "* eol=crlf"],
  ["crlf, the old name", "* crlf"],
  ["a filter", "* filter=shout"],
  ["an encoding", "* working-tree-encoding=UTF-16LE"],
  ["a merge driver", "* merge=ours"],
  ["export-subst", "* export-subst"],
  [
    "all attributes at once",
    "* text eol=crlf ident filter=shout working-tree-encoding=UTF-16LE merge=union export-subst",
  ],
  ["a macro", "[attr]changed ident filter=shout eol=crlf text\n* changed"],
  ["a pattern for the store itself", "/.ctx/** ident text eol=crlf filter=shout"],
];

describeWith([program("git")], "a shared store in a git repository", () => {
  it.each(settings)("a shared store keeps every byte where git sets %s", async (_name, attributes) => {
    const folder = newRepository();
    git(folder, "config", "filter.shout.clean", "tr a-z A-Z");
    git(folder, "config", "filter.shout.smudge", "tr A-Z a-z");
    // Its own files are none of ours: git would refuse to write them in some encodings.
    fs.writeFileSync(
      join(folder, ".gitattributes"),
      `${attributes}\n/.gitattributes !working-tree-encoding\n`,
    );
    await cli(["init", "--shared"], { folder });
    await cli(["pack", "-"], { folder, input: json(touchyLog()) });
    git(folder, "add", ".ctx", ".gitattributes");
    git(folder, "commit", "--quiet", "-m", "a run");
    const copy = join(tempFolder(), "copy");
    git(folder, "clone", "--quiet", folder, copy);
    expect((await verify(copy, "--all")).status).toBe(0);
    const objects = git(folder, "ls-files", ".ctx/objects", ".ctx/packs").split("\n").filter(Boolean);
    expect(objects.length).toBeGreaterThan(contents.length);
    for (const path of objects)
      expect(fs.readFileSync(join(copy, path))).toEqual(fs.readFileSync(join(folder, path)));
    const archive = join(tempFolder(), "archive");
    fs.mkdirSync(archive);
    git(folder, "archive", "--format=tar", "-o", `${archive}/a.tar`, "HEAD", ".ctx");
    execFileSync("tar", ["-xf", "a.tar"], { cwd: archive });
    for (const path of objects)
      expect(fs.readFileSync(join(archive, path))).toEqual(fs.readFileSync(join(folder, path)));
  });

  it("ctx doctor says if info/attributes, which has precedence, would change a shared store", async () => {
    const folder = newRepository();
    await cli(["init", "--shared"], { folder });
    expect((await cli(["doctor"], { folder })).status).toBe(0);
    for (const [attribute, found] of [
      ["ident", "ident=set"],
      ["text eol=crlf", "text=set"],
      ["filter=shout", "filter=shout"],
      ["working-tree-encoding=UTF-16LE", "working-tree-encoding=UTF-16LE"],
    ]) {
      fs.mkdirSync(join(folder, ".git/info"), { recursive: true });
      fs.writeFileSync(join(folder, ".git/info/attributes"), `* ${attribute}\n`);
      const { status, stdout } = await cli(["doctor", "--json"], { folder });
      expect(status).toBe(1);
      const { checks } = JSON.parse(stdout) as { checks: { name: string; found: string; advice: string }[] };
      const check = checks.find(({ name }) => name === "attributes");
      expect(check?.found).toContain(found);
      expect(check?.advice).toContain("info/attributes");
    }
  });

  it("ctx doctor --fix updates the .gitattributes and .gitignore of an older ctx", async () => {
    const folder = newRepository();
    await cli(["init", "--shared"], { folder });
    const root = join(folder, ".ctx");
    fs.writeFileSync(join(root, ".gitattributes"), "* -text\n");
    fs.writeFileSync(join(root, ".gitignore"), "tmp/\nlocks/\ncache/\ndrafts/\nrefs/latest\nmine\n");
    const { status, stdout } = await cli(["doctor"], { folder });
    expect(status).toBe(0);
    expect(stdout).toContain("lets git change bytes of the store");
    expect(stdout).toContain("does not have recordings/ heads/self");
    const fixed = await cli(["doctor", "--fix"], { folder });
    expect(fixed.status).toBe(0);
    expect(fs.readFileSync(join(root, ".gitattributes"), "utf8")).toMatch(/^\* -text .*-ident.*\n$/);
    expect(fs.readFileSync(join(root, ".gitignore"), "utf8")).toMatch(/\nmine\nrecordings\/\nheads\/self\n$/);
    expect((await cli(["doctor"], { folder })).stdout).not.toContain("lets git change");
    expect((await cli(["doctor", "--fix"], { folder })).stdout).not.toContain("fixed");
  });
});

/** Returns every mode in a store, by path. */
function modesIn(root: string): Map<string, number> {
  const names = ["", ...(fs.readdirSync(root, { recursive: true }) as string[])];
  return new Map(names.map((name) => [name, fs.lstatSync(join(root, name)).mode & 0o777]));
}

/** A store as ctx 0.1 made it: readable by all. */
async function oldStore(): Promise<{ folder: string; root: string }> {
  const folder = tempFolder();
  await cli(["init"], { folder });
  await cli(["pack", "-"], { folder, input: json(smallLog()) });
  const root = join(folder, ".ctx");
  // The first list makes the cache.
  await cli(["log"], { folder });
  spawnSync("chmod", ["-R", "a+rX", root]);
  return { folder, root };
}

async function install(folder: string): Promise<string> {
  return (await cli(["hook", "install", "claude-code", "--dry-run"], { folder })).stdout;
}

describe("ctx hook install", () => {
  it("ctx hook install says when others can see the sessions that it would seal", async () => {
    const { folder } = await oldStore();
    expect(await install(folder)).toContain("can be read by other users of this machine");
    await cli(["doctor", "--fix", "--private"], { folder });
    expect(await install(folder)).not.toMatch(/can be read by other users|is shared/);
    await cli(["doctor", "--fix", "--shared"], { folder });
    expect(await install(folder)).toContain("is shared: anyone who gets");
  });
});

/** Leaves out what any command may write. */
function withoutCache(modes: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...modes].filter(([path]) => !path.startsWith("cache")));
}

describe("ctx doctor --fix", () => {
  it("ctx doctor --fix asks who a store is for that others can read, and does what was answered", async () => {
    for (const [answer, looser] of [
      ["p", 0],
      ["s", 0o044],
      ["", 0o044],
    ] as const) {
      const { folder, root } = await oldStore();
      const before = modesIn(root);
      const result = await cli(["doctor"], { folder });
      expect(result.stdout).toContain("other users of this machine can read it (mode 755)");
      const { status, stderr } = await cli(["doctor", "--fix"], { folder, answers: [answer] });
      expect(status).toBe(0);
      expect(stderr).toContain("private (p), or shared by a team in git (s)");
      expect([...modesIn(root).values()].every((mode) => (mode & 0o044) === looser)).toBe(true);
      const config = fs.readFileSync(join(root, "config.json"), "utf8");
      expect(config.includes('"shared": true')).toBe(answer === "s");
      if (answer === "") expect(withoutCache(modesIn(root))).toEqual(withoutCache(before));
      expect((await verify(folder, "--all")).status).toBe(0);
    }
  });

  it("ctx doctor --fix guesses nothing in a pipe, and accepts --private and --shared", async () => {
    const { folder, root } = await oldStore();
    const before = modesIn(root);
    const piped = await cli(["doctor", "--fix"], { folder });
    expect(piped.status).toBe(0);
    expect(piped.stderr).toContain("with --private or --shared");
    expect(modesIn(root)).toEqual(before);
    expect((await cli(["doctor", "--fix", "--private"], { folder })).status).toBe(0);
    expect([...modesIn(root).values()].every((mode) => (mode & 0o077) === 0)).toBe(true);
    expect((await cli(["doctor", "--fix", "--shared"], { folder })).status).toBe(0);
    expect((await cli(["doctor"], { folder })).stdout).toContain("shared: as its modes say");
    for (const args of [["--fix", "--private", "--shared"], ["--private"], ["--shared"]])
      expect((await cli(["doctor", ...args], { folder })).status).toBe(2);
  });

  it("ctx doctor --fix keeps the other settings of config.json", async () => {
    const { folder, root } = await oldStore();
    fs.writeFileSync(
      join(root, "config.json"),
      '{"version":"0.1","diff":{"ignore":["a"]},"later":12345678901234567890}',
    );
    await cli(["doctor", "--fix", "--shared"], { folder });
    const text = fs.readFileSync(join(root, "config.json"), "utf8");
    expect(text).toContain("12345678901234567890");
    expect(JSON.parse(text)).toMatchObject({ diff: { ignore: ["a"] }, shared: true });
    await cli(["doctor", "--fix", "--private"], { folder });
    expect(JSON.parse(fs.readFileSync(join(root, "config.json"), "utf8"))).not.toHaveProperty("shared");
  });

  it("ctx doctor --fix removes write access for everybody, which every command reports until then", async () => {
    const { folder, root } = await oldStore();
    spawnSync("chmod", ["-R", "o+w", root]);
    const { status, stdout } = await cli(["doctor"], { folder });
    expect(status).toBe(1);
    expect(stdout).toContain("every user can write to");
    expect((await cli(["log"], { folder })).stderr).toContain("every user can write to the store");
    await cli(["doctor", "--fix"], { folder });
    expect([...modesIn(root).values()].every((mode) => (mode & 0o002) === 0)).toBe(true);
    expect((await cli(["log"], { folder })).stderr).toBe("");
  });

  it("ctx doctor accepts modes that git made, but for writing by others", async () => {
    const { folder, root } = await oldStore();
    spawnSync("chmod", ["-R", "u+w", root]);
    expect((await cli(["doctor"], { folder })).stdout).toContain("as git made its files");
    fs.chmodSync(join(root, "packs"), 0o777);
    expect((await cli(["doctor"], { folder })).status).toBe(1);
  });
});
