// Which stores hooks and `ctx pack --discover` put private sessions into.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HookRun } from "../../src/results/intake.js";
import { sealForHook } from "../../src/ops/seal-session.js";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { describeWith, root } from "../../dev/needs.js";

interface Scene {
  /** The project, with a store of its own. */
  folder: string;
  home: string;
  log: string;
  env: Record<string, string>;
}

/** A home with a store and a session, and a project whose store came with a clone. */
async function scene({ config = '{"version":"0.1"}', mode = 0o755, ignored = "" } = {}): Promise<Scene> {
  const base = tempFolder();
  const [home, folder] = [join(base, "home"), join(base, "project")];
  const log = join(home, ".claude/projects/p/s1.jsonl");
  fs.mkdirSync(join(log, ".."), { recursive: true });
  fs.mkdirSync(folder);
  const message = { role: "user", content: "hello" };
  const timestamp = "2026-02-10T12:00:00.000Z";
  const entry = { type: "user", uuid: "u", sessionId: "s1", cwd: folder, timestamp, message };
  fs.writeFileSync(log, lines(entry), { mode: 0o600 });
  const env = { HOME: home };
  await cli(["init"], { folder: home, env });
  execFileSync("git", ["init", "-q", folder]);
  for (const part of ["objects", "packs"]) fs.mkdirSync(join(folder, ".ctx", part), { recursive: true });
  fs.writeFileSync(join(folder, ".ctx/config.json"), `${config}\n`);
  if (ignored !== "") fs.writeFileSync(join(folder, ".ctx/.gitignore"), ignored);
  fs.chmodSync(join(folder, ".ctx"), mode);
  return { folder, home, log, env };
}

function packsIn(folder: string): number {
  return fs.readdirSync(join(folder, ".ctx/packs")).length;
}

function seal({ folder, home, log, env }: Scene, name: "claude-code" | "git"): Promise<HookRun> {
  const where = { home, folder, env: { ...env, PATH: process.env["PATH"] } };
  const said = JSON.stringify({ session_id: "s1", transcript_path: log, cwd: folder });
  return sealForHook(name, said, { where, state: join(home, ".local/state/ctx") });
}

const clones = [
  ["that declares itself shared", { config: '{"shared":true,"version":"0.1"}' }, "is shared"],
  [
    "that is shared in a private folder",
    { config: '{"shared":true,"version":"0.1"}', mode: 0o700 },
    "is shared",
  ],
  ["that others can read", {}, "can be read by other users of this machine"],
  [
    "that a clone under umask 077 made",
    { mode: 0o700 },
    "is not ignored by git: its own .gitignore does not say so",
  ],
  [
    "that a clone under umask 077 made, and that ignores everything",
    { mode: 0o700, ignored: "*\n" },
    "was not made by you with `ctx init` here",
  ],
] as const;

describe.each(clones)("a store %s and that the user has not accepted", (_name, made, why) => {
  it.each(["claude-code", "git"] as const)("hook %s: an unaccepted store gets no session", async (name) => {
    const at = await scene(made);
    const run = await seal(at, name);
    expect([run.packs.length, run.problem, packsIn(at.folder), packsIn(at.home)]).toEqual([
      1,
      undefined,
      0,
      1,
    ]);
    expect(run.notice).toContain(why);
    expect(run.notice).toContain(`you have not accepted it`);
    expect(run.notice).toContain(`sealed in ${join(at.home, ".ctx")} instead`);
  });

  it("hook: a clone's store gets no session where the home has no store either", async () => {
    const at = await scene(made);
    fs.rmSync(join(at.home, ".ctx"), { recursive: true });
    const run = await seal(at, "claude-code");
    expect([run.packs, packsIn(at.folder)]).toEqual([[], 0]);
    expect(run.problem).toContain("run `ctx trust` there to accept it");
  });

  it("ctx pack --discover: a clone's store that the user has not accepted gets no session", async () => {
    const { folder, env } = await scene(made);
    const { status, stderr } = await cli(["pack", "--discover"], { folder, env });
    expect([status, packsIn(folder)]).toEqual([2, 0]);
    expect(stderr).toContain(why);
    expect(stderr).toContain("run `ctx trust` there to accept it");
  });

  it.each([
    ["ctx trust", ["trust"]],
    ["ctx hook install", ["hook", "install", "claude-code", "--yes"]],
    ["ctx doctor --fix --shared", ["doctor", "--fix", "--shared"]],
  ])("hook: a clone's store gets sessions once %s accepted it, until --forget", async (_command, argv) => {
    const at = await scene(made);
    await cli(argv, at);
    const run = await seal(at, "claude-code");
    expect([run.packs.length, run.notice, packsIn(at.folder), packsIn(at.home)]).toEqual([
      1,
      undefined,
      1,
      0,
    ]);
    expect((await cli(["pack", "--discover"], at)).status).toBe(0);
    await cli(["trust", "--forget"], at);
    expect((await cli(["pack", "--discover"], at)).status).toBe(2);
  });
});

/** Puts a store with the same files in the place of a store, as a clone would: without what git ignores. */
function replaceByClone(folder: string): void {
  fs.cpSync(join(folder, ".ctx"), join(folder, "other"), { recursive: true });
  fs.rmSync(join(folder, "other/cache"), { recursive: true });
  fs.rmSync(join(folder, ".ctx"), { recursive: true });
  fs.renameSync(join(folder, "other"), join(folder, ".ctx"));
}

describe("accepting a store", () => {
  it("ctx hook install accepts a store if the hook is there already, but not with --dry-run or after a no", async () => {
    const at = await scene();
    await cli(["hook", "install", "claude-code", "--dry-run"], at);
    await cli(["hook", "install", "claude-code"], { ...at, answers: ["n"] });
    expect((await cli(["pack", "--discover"], at)).status).toBe(2);
    await cli(["hook", "install", "claude-code", "--yes"], { ...at, folder: at.home });
    expect((await cli(["pack", "--discover"], at)).status).toBe(2);
    const present = await cli(["hook", "install", "claude-code"], at);
    expect(present.stdout).toContain("the hook is already installed");
    expect(present.stdout).toContain(
      "can be read by other users of this machine; hooks put sessions into it",
    );
    expect((await cli(["pack", "--discover"], at)).status).toBe(0);
  });

  it("hook: a store that ctx init --shared made is accepted, another in its place is not", async () => {
    const at = await scene();
    fs.rmSync(join(at.folder, ".ctx"), { recursive: true });
    await cli(["init", "--shared"], at);
    expect((await seal(at, "claude-code")).notice).toBeUndefined();
    expect(packsIn(at.folder)).toBe(1);
    replaceByClone(at.folder);
    expect((await seal(at, "claude-code")).notice).toContain("you have not accepted it");
  });

  it("ctx trust: its acceptance ends when another store takes the place of the accepted one", async () => {
    const at = await scene();
    await cli(["trust"], at);
    expect((await cli(["pack", "--discover"], at)).status).toBe(0);
    replaceByClone(at.folder);
    expect((await cli(["pack", "--discover"], at)).status).toBe(2);
    await cli(["trust"], at);
    expect((await cli(["pack", "--discover"], at)).status).toBe(0);
  });

  it.each([
    ["its .gitignore", ".gitignore", "!*\n", "is not ignored by git"],
    ["its config.json", "config.json", '{"shared":true,"version":"0.1"}\n', "is shared"],
  ])("hook: a private store is not accepted if git pull replaced %s", async (_name, file, text, why) => {
    const at = await scene();
    fs.rmSync(join(at.folder, ".ctx"), { recursive: true });
    await cli(["init"], at);
    expect([(await seal(at, "claude-code")).notice, packsIn(at.folder)]).toEqual([undefined, 1]);
    fs.writeFileSync(join(at.folder, ".ctx", file), text);
    fs.appendFileSync(at.log, lines({ type: "summary", summary: "more" }));
    expect((await seal(at, "claude-code")).notice).toContain(why);
    expect(packsIn(at.folder)).toBe(1);
  });

  it("hook: a store that ctx init made, or that lies in the home, needs no acceptance", async () => {
    const at = await scene();
    fs.rmSync(join(at.folder, ".ctx"), { recursive: true });
    await cli(["init"], at);
    expect([(await seal(at, "claude-code")).notice, packsIn(at.folder)]).toEqual([undefined, 1]);
    fs.chmodSync(join(at.home, ".ctx"), 0o755);
    const below = { ...at, folder: at.home };
    expect([(await seal(below, "claude-code")).notice, packsIn(at.home)]).toEqual([undefined, 1]);
  });
});

function git(folder: string, ...words: string[]): void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", [...identity, ...words], { cwd: folder, stdio: "pipe" });
}

/** Pulls files that another person committed in a clone, even if git ignores them there. */
function pull(folder: string, files: Record<string, string>): void {
  const upstream = tempFolder();
  git(upstream, "clone", "-q", folder, ".");
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(join(upstream, path, ".."), { recursive: true });
    fs.writeFileSync(join(upstream, path), text);
    git(upstream, "add", "-f", path);
  }
  git(upstream, "commit", "-q", "-m", "more");
  git(folder, "pull", "-q", "--ff-only", upstream, "HEAD");
}

/** Returns a project with a private store of its own, after a pull. */
async function pulled(files: Record<string, string>): Promise<Scene> {
  const at = await scene();
  fs.rmSync(join(at.folder, ".ctx"), { recursive: true });
  git(at.folder, "commit", "-q", "--allow-empty", "-m", "first");
  await cli(["init"], at);
  pull(at.folder, files);
  return at;
}

describe("a private store that git pull opened", () => {
  const pulls = [
    [
      "a .gitignore that git reads otherwise",
      { ".ctx/.gitignore": " *\n", ".gitignore": "!.ctx/\n" },
      "its own",
    ],
    ["a cache", { ".ctx/cache/catalog": "x\n", ".gitignore": "!.ctx/\n" }, "is in git"],
    ["its own .gitignore", { ".ctx/.gitignore": "*\n" }, "is in git"],
  ] as const;

  it.each(pulls)(
    "hook: a private store gets no session once git pull brought %s",
    async (_name, files, why) => {
      for (const name of ["claude-code", "git"] as const) {
        const at = await pulled(files);
        const run = await seal(at, name);
        expect([run.problem, packsIn(at.folder), packsIn(at.home)]).toEqual([undefined, 0, 1]);
        expect(run.notice).toContain(why);
      }
    },
  );

  it.each(pulls)(
    "ctx pack --discover: no session goes in once git pull brought %s",
    async (_name, files, why) => {
      const at = await pulled(files);
      const { status, stderr } = await cli(["pack", "--discover"], at);
      expect([status, packsIn(at.folder)]).toEqual([2, 0]);
      expect(stderr).toContain(why);
    },
  );

  it("hook: a private store that is taken out of git gets sessions, and doctor --fix --private alone does not do it", async () => {
    const at = await pulled({ ".ctx/cache/catalog": "x\n" });
    await cli(["doctor", "--fix", "--private"], at);
    expect((await cli(["pack", "--discover"], at)).stderr).toContain("`git rm -r --cached .ctx`");
    git(at.folder, "rm", "-rq", "--cached", ".ctx");
    expect([(await seal(at, "claude-code")).notice, packsIn(at.folder)]).toEqual([undefined, 1]);
  });

  it("hook: a folder that poses as a repository does not hide that git tracks the store", async () => {
    const at = await pulled({ "sub/HEAD": "ref: refs/heads/main\n" });
    const folder = join(at.folder, "sub");
    for (const name of ["objects", "refs"]) fs.mkdirSync(join(folder, name));
    fs.writeFileSync(join(folder, "config"), "[core]\n\tbare = false\n\tworktree = .\n");
    await cli(["init"], { ...at, folder });
    git(at.folder, "add", "-f", "sub/.ctx/config.json");
    expect((await seal({ ...at, folder }, "claude-code")).notice).toContain("is in git");
  });
});

/** Returns a project whose store was trusted, and whose owner was changed afterwards. */
async function foreign(): Promise<Scene> {
  const at = await scene();
  await cli(["trust"], at);
  execFileSync("chown", ["-R", "65534:65534", join(at.folder, ".ctx")]);
  return at;
}

describeWith([root], "another user's store", () => {
  it.each(["claude-code", "git"] as const)(
    "hook %s: another user's store gets no session, even if it is trusted",
    async (name) => {
      const at = await foreign();
      const run = await seal(at, name);
      expect([run.packs.length, packsIn(at.folder), packsIn(at.home)]).toEqual([1, 0, 1]);
      expect(run.notice).toMatch(
        /belongs to nobody, who could read the sessions that you put there .*; sealed in /,
      );
    },
  );

  it("ctx pack --discover refuses another user's store, with its owner's name", async () => {
    const { folder, env } = await foreign();
    const { status, stderr } = await cli(["pack", "--discover"], { folder, env });
    expect([status, packsIn(folder)]).toEqual([2, 0]);
    expect(stderr).toContain("belongs to nobody, who could read the sessions that you put there");
  });

  it("ctx pack of a named log uses another user's store, with a notice that its owner can read it", async () => {
    const { folder, env, log } = await foreign();
    const { status, stderr } = await cli(["pack", log], { folder, env });
    expect([status, packsIn(folder)]).toEqual([0, 1]);
    expect(stderr).toContain("belongs to nobody, who can read what you put into it");
  });
});
