// A store that ctx made for a user and that is gone: git deletes ignored folders without asking.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sealForHook } from "../../src/ops/seal-session.js";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";

interface Scene {
  home: string;
  project: string;
  env: Record<string, string>;
  git: (...words: string[]) => void;
}

/** Returns a git repository with a private store, and in it a commit in which `.ctx` is a file. */
async function scene(): Promise<Scene> {
  const home = fs.realpathSync(tempFolder());
  const project = join(home, "project");
  fs.mkdirSync(project);
  const env = { HOME: home };
  const git = (...words: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: project });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("checkout", "-q", "-b", "other");
  fs.writeFileSync(join(project, ".ctx"), "not a store\n");
  git("add", "-f", ".ctx");
  git("commit", "-q", "-m", "a file");
  git("checkout", "-q", "main");
  expect((await cli(["init"], { folder: project, env })).status).toBe(0);
  return { home, project, env, git };
}

it("ctx log: a store that git deleted is reported as gone, not as never made", async () => {
  const { project, env, git } = await scene();
  git("checkout", "-q", "other");
  fs.mkdirSync(join(project, "sub"));
  const { status, stderr } = await cli(["log"], { folder: join(project, "sub"), env });
  expect(status).toBe(2);
  expect(stderr).toContain(`the store ${join(project, ".ctx")}, which was yours, is gone`);
  expect(stderr).toContain("git may have deleted it");
});

it("ctx log: the store of the home is used in place of one that is gone only with a notice", async () => {
  const { home, project, env, git } = await scene();
  await cli(["init"], { folder: home, env });
  git("clean", "-dfxq");
  const { status, stderr } = await cli(["log"], { folder: project, env });
  expect(status).toBe(0);
  expect(stderr).toContain(
    `the store ${join(project, ".ctx")}, which was yours, is gone; using ${join(home, ".ctx")} instead`,
  );
  // A new store ends the notice.
  await cli(["init"], { folder: project, env });
  expect((await cli(["log"], { folder: project, env })).stderr).not.toContain("is gone");
});

it("ctx log: a store that is gone from a folder with a line feed in its name is reported there only", async () => {
  const home = fs.realpathSync(tempFolder());
  const [lost, sibling] = [join(home, "v/a\nb"), join(home, "v/other")];
  for (const folder of [lost, sibling]) fs.mkdirSync(folder, { recursive: true });
  const env = { HOME: home };
  await cli(["init"], { folder: lost, env });
  fs.rmSync(join(lost, ".ctx"), { recursive: true });
  expect((await cli(["log"], { folder: sibling, env })).stderr).not.toContain("is gone");
  expect((await cli(["log"], { folder: lost, env })).stderr).toContain("is gone");
});

it("hook: a session is sealed in the home's store, with a notice that the project's store is gone", async () => {
  const { home, project, env, git } = await scene();
  await cli(["init"], { folder: home, env });
  git("clean", "-dfxq");
  const log = join(home, ".claude/projects/p/s1.jsonl");
  fs.mkdirSync(join(log, ".."), { recursive: true });
  const message = { role: "user", content: "hello" };
  const timestamp = "2026-02-10T12:00:00.000Z";
  fs.writeFileSync(
    log,
    lines({ type: "user", uuid: "u", sessionId: "s1", cwd: project, timestamp, message }),
  );
  const said = JSON.stringify({ session_id: "s1", transcript_path: log, cwd: project });
  const where = { home, folder: project, env: { ...env, PATH: process.env["PATH"] } };
  const run = await sealForHook("claude-code", said, { where, state: join(home, ".local/state/ctx") });
  expect(run.packs).toHaveLength(1);
  expect(run.notice).toContain(`the store ${join(project, ".ctx")}, which was yours, is gone`);
});
