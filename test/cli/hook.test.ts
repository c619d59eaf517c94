import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sealForHook } from "../../src/ops/seal-session.js";
import { unindexedPacks } from "../../src/search/indexed-packs.js";
import { Store } from "../../src/store/store.js";
import { cli, type CliResult, hookProgram } from "../../dev/cli.js";
import { sessionStore, tempFolder, tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";

const files = {
  "claude-code": ".nobody/.claude/settings.json",
  codex: ".nobody/.codex/hooks.json",
  gemini: ".nobody/.gemini/settings.json",
} as const;

function hook(folder: string, ...argv: string[]): Promise<CliResult> {
  return cli(["hook", ...argv], { folder });
}

function settings(folder: string, name: keyof typeof files, text: string): string {
  const file = join(folder, files[name]);
  fs.mkdirSync(join(file, ".."), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
}

function tree(folder: string): string[] {
  return fs.readdirSync(join(folder, ".nobody"), { recursive: true, encoding: "utf8" }).sort();
}

const said = (log: string, cwd: string): string =>
  JSON.stringify({ session_id: "s1", transcript_path: log, cwd, hook_event_name: "SessionEnd" });

const session = lines({
  type: "user",
  uuid: "u",
  sessionId: "s1",
  cwd: "/p",
  timestamp: "2026-02-10T12:00:00.000Z",
  message: { role: "user", content: "hello" },
});

function options(folder: string): Parameters<typeof sealForHook>[2] {
  const home = join(folder, ".nobody");
  return { where: { home, folder, env: { PATH: process.env["PATH"] } }, state: join(home, "state") };
}

describe("ctx hook install and remove", () => {
  it.each(["claude-code", "codex", "gemini"] as const)(
    "hook: install for %s writes what --dry-run showed, and remove restores the file",
    async (name) => {
      const { folder } = sessionStore(".nobody/state");
      const text = '{\n  "theme": "dark",\n  "hooks": {\n    "Stop": []\n  }\n}\n';
      const file = settings(folder, name, text);
      fs.chmodSync(file, 0o640);
      const shown = await hook(folder, "install", name, "--dry-run");
      expect(shown.status).toBe(0);
      expect(fs.readFileSync(file, "utf8")).toBe(text);
      const done = await hook(folder, "install", name, "--yes");
      expect(done.stdout.split("\n").slice(1)).toEqual(shown.stdout.split("\n").slice(1));
      const made = JSON.parse(fs.readFileSync(file, "utf8"));
      expect(made).toMatchObject({
        theme: "dark",
        hooks: {
          Stop: [],
          SessionEnd: [
            {
              hooks: [
                {
                  type: "command",
                  command: `${hookProgram} hook run ${name} >/dev/null 2>&1 || true`,
                },
              ],
            },
          ],
        },
      });
      for (const line of JSON.stringify(made.hooks.SessionEnd, null, 2).split("\n"))
        expect(shown.stdout).toContain(line.trim());
      expect((await hook(folder, "install", name, "--yes")).stdout).toContain(
        "the hook is already installed",
      );
      expect((await hook(folder)).stdout).toMatch(new RegExp(`^${name} +installed `, "m"));
      expect((await hook(folder, "remove", name)).status).toBe(0);
      expect(fs.readFileSync(file, "utf8")).toBe(text);
      expect(fs.statSync(file).mode & 0o777).toBe(0o640);
      expect((await hook(folder, "remove", name)).stdout).toContain("the hook is not installed");
    },
  );

  it("hook: remove leaves no trace where there was nothing before", async () => {
    const { folder } = tempStore();
    fs.mkdirSync(join(folder, ".nobody"));
    await hook(folder, "install", "codex", "--yes");
    expect(tree(folder)).toContain(".codex/hooks.json");
    await hook(folder, "remove", "codex");
    expect(tree(folder).filter((name) => !name.startsWith(".local"))).toEqual([]);
  });

  it("hook: remove takes out only its own command when the settings have changed since", async () => {
    const { folder } = sessionStore(".nobody/state");
    const file = settings(folder, "claude-code", "{}\n");
    await hook(folder, "install", "claude-code", "--yes");
    const value = JSON.parse(fs.readFileSync(file, "utf8"));
    value.model = "opus";
    value.hooks.SessionEnd.push({ hooks: [{ type: "command", command: "mine" }] });
    fs.writeFileSync(file, JSON.stringify(value, null, 4));
    await hook(folder, "remove", "claude-code");
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({
      hooks: { SessionEnd: [{ hooks: [{ type: "command", command: "mine" }] }] },
      model: "opus",
    });
  });

  it("hook: install asks, and writes only after yes", async () => {
    const { folder } = sessionStore(".nobody/state");
    for (const answers of [["n"], [""], ["nope"]]) {
      const { status, stderr } = await cli(["hook", "install", "claude-code"], { folder, answers });
      expect([status, stderr]).toEqual([1, "Write this? [y/N] \nnote: nothing was written\n"]);
    }
    const pipe = await hook(folder, "install", "claude-code");
    expect([pipe.status, pipe.stderr]).toEqual([1, "note: nothing was written; use --yes to write it\n"]);
    expect(fs.existsSync(join(folder, files["claude-code"]))).toBe(false);
    const yes = await cli(["hook", "install", "claude-code"], { folder, answers: ["y"] });
    expect(yes.status).toBe(0);
    expect(fs.existsSync(join(folder, files["claude-code"]))).toBe(true);
  });

  it("hook: settings behind a link are written, and settings that are not JSON are refused", async () => {
    const { folder } = sessionStore(".nobody/state");
    const file = settings(folder, "claude-code", "{}\n");
    fs.renameSync(file, join(folder, "dotfiles.json"));
    fs.symlinkSync(join(folder, "dotfiles.json"), file);
    await hook(folder, "install", "claude-code", "--yes");
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(join(folder, "dotfiles.json"), "utf8")).toContain("hook run claude-code");
    fs.writeFileSync(join(folder, "dotfiles.json"), "{ broken");
    const { status, stderr } = await hook(folder, "install", "claude-code", "--yes");
    expect([status, fs.readFileSync(file, "utf8")]).toEqual([2, "{ broken"]);
    expect(stderr).toContain("is not JSON: line 1");
  });

  it("hook: git's hook stands first in an existing script, and remove restores the script", async () => {
    const { folder } = sessionStore(".nobody/state");
    execFileSync("git", ["init", "-q", folder]);
    const file = join(folder, ".git/hooks/post-commit");
    const text = "#!/bin/sh\necho committed\nexit 0\n";
    fs.writeFileSync(file, text, { mode: 0o755 });
    await hook(folder, "install", "git", "--yes");
    expect(fs.readFileSync(file, "utf8").split("\n")[2]).toBe(
      `${hookProgram} hook run git </dev/null >/dev/null 2>&1 || true`,
    );
    expect(fs.statSync(file).mode & 0o111).toBe(0o111);
    await hook(folder, "remove", "git");
    expect(fs.readFileSync(file, "utf8")).toBe(text);
    fs.rmSync(file);
    await hook(folder, "install", "git", "--yes");
    await hook(folder, "remove", "git");
    expect(fs.existsSync(file)).toBe(false);
    const none = await hook(tempFolder(), "install", "git");
    expect(none.stderr).toContain("there is no git repository here");
  });

  it("hook: install names what else is needed", async () => {
    const { folder } = sessionStore(".nobody/state");
    const { stdout } = await hook(folder, "install", "codex", "--dry-run");
    expect(stdout).toContain("note: Codex runs a new hook only after you have reviewed it");
    expect(stdout).toContain("`ctx -C ~ init` makes one for all sessions");
    expect((await hook(folder, "install")).stderr).toContain(
      "ctx hook needs one of claude-code, codex, gemini, git",
    );
  });
});

describe("sealing for a hook", () => {
  it("hook: the session that ended is sealed in the store of its folder, and counts as packed", async () => {
    const { folder } = sessionStore(".nobody/state");
    const file = join(folder, ".nobody/.claude/projects/p/s1.jsonl");
    fs.mkdirSync(join(file, ".."), { recursive: true });
    fs.writeFileSync(file, session);
    fs.mkdirSync(join(file, "../s1/subagents"), { recursive: true });
    fs.writeFileSync(join(file, "../s1/subagents/agent-a1.jsonl"), session);
    const run = await sealForHook("claude-code", said(file, folder), options(folder));
    expect(run).toMatchObject({ hook: "claude-code", log: file, packs: [expect.stringMatching(/^sha256:/)] });
    expect((await cli(["discover", "--new", "--json"], { folder })).stdout).toBe("");
    // The next search need not read it.
    expect(unindexedPacks(Store.find(folder))).toBe(0);
    const again = await sealForHook("claude-code", said(file, folder), options(folder));
    expect(again.packs).toEqual(run.packs);
  });

  it("hook: the log is found by the session where the agent does not name it", async () => {
    const { folder } = sessionStore(".nobody/state");
    const file = join(folder, ".nobody/.claude/projects/p/s1.jsonl");
    fs.mkdirSync(join(file, ".."), { recursive: true });
    fs.writeFileSync(file, session);
    const payload = JSON.stringify({ session_id: "s1", transcript_path: null, cwd: folder });
    expect((await sealForHook("claude-code", payload, options(folder))).log).toBe(file);
  });

  it("hook: the home's store is used where the folder has none", async () => {
    const folder = tempFolder();
    const home = join(folder, ".nobody");
    fs.mkdirSync(home);
    await cli(["init"], { folder: home });
    const file = join(home, "s1.jsonl");
    fs.writeFileSync(file, session);
    const run = await sealForHook("claude-code", said(file, folder), options(folder));
    expect(run.packs.length).toBe(1);
  });

  it("hook: the home's store is used where the folder is gone", async () => {
    const folder = tempFolder();
    const home = join(folder, ".nobody");
    fs.mkdirSync(home);
    await cli(["init"], { folder: home });
    const file = join(home, "s1.jsonl");
    fs.writeFileSync(file, session);
    const run = await sealForHook("claude-code", said(file, join(folder, "gone")), options(folder));
    expect([run.packs.length, run.problem]).toEqual([1, undefined]);
  });

  it("hook: a session in which nothing happened is no problem", async () => {
    const { folder } = sessionStore(".nobody/state");
    const file = join(folder, "none.jsonl");
    fs.writeFileSync(file, lines({ type: "summary", summary: "x", leafUuid: "l" }));
    const run = await sealForHook("claude-code", said(file, folder), options(folder));
    expect([run.packs, run.problem]).toEqual([[], undefined]);
  });

  it.each([
    ["", "the input from the agent is not JSON"],
    ["[]", "the agent did not say which session ended"],
    ['{"session_id":"unknown","cwd":"relative"}', "the agent did not say which session ended"],
    ['{"transcript_path":"/nowhere/s.jsonl"}', "cannot read the log /nowhere/s.jsonl"],
    ['{"transcript_path":"/dev/zero"}', "cannot read the log /dev/zero: it is not a regular file"],
    ['{"transcript_path":"/"}', "cannot read the log /: it is not a regular file"],
  ])("hook: a bad payload is noted as a problem, and nothing is thrown: %s", async (payload, problem) => {
    const { folder } = sessionStore(".nobody/state");
    const run = await sealForHook("gemini", payload, options(folder));
    expect(run.problem).toContain(problem);
    fs.mkdirSync(join(folder, ".nobody/.local/state"), { recursive: true });
    fs.renameSync(join(folder, ".nobody/state"), join(folder, ".nobody/.local/state/ctx"));
    expect((await hook(folder)).stdout).toContain(`  ${problem.slice(0, 30)}`);
  });

  it("hook: git's hook seals the sessions of the repository, but not during a rebase", async () => {
    const { folder } = sessionStore(".nobody/state");
    execFileSync("git", ["init", "-q", folder]);
    const real = fs.realpathSync(folder);
    const file = join(folder, ".nobody/.claude/projects/p/s1.jsonl");
    fs.mkdirSync(join(file, ".."), { recursive: true });
    fs.writeFileSync(file, session.replace('"/p"', JSON.stringify(real)));
    fs.mkdirSync(join(folder, ".git/rebase-merge"));
    expect((await sealForHook("git", "", options(folder))).problem).toContain("a rebase is in progress");
    fs.rmdirSync(join(folder, ".git/rebase-merge"));
    expect((await sealForHook("git", "", options(folder))).packs.length).toBe(1);
    expect((await sealForHook("git", "", options(folder))).packs.length).toBe(0);
  });

  it("hook: the file of its notes stays small", async () => {
    const { folder } = sessionStore(".nobody/state");
    const { state } = options(folder);
    fs.mkdirSync(state, { recursive: true });
    fs.writeFileSync(join(state, "hook-runs.jsonl"), "x\n".repeat(200_000));
    await sealForHook("codex", "", options(folder));
    expect(fs.statSync(join(state, "hook-runs.jsonl")).size).toBeLessThan(1 << 18);
  });
});
