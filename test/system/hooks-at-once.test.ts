// Many processes that write the same notes at once, and locks of the user's state that a killed process left.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/base/digest.js";
import { ownId } from "../../src/base/owner-id.js";
import { tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { ctxCommand, type Ended, runCtx, start } from "../../dev/processes.js";

const patience = 120_000;
const crowd = 50;

/** Returns a home with a store and sessions of Claude Code. */
async function homeWith(sessions: number): Promise<{ home: string; logs: string[] }> {
  const home = fs.realpathSync(tempFolder());
  await runCtx(home, ["init"]);
  const folder = join(home, ".claude/projects/p");
  fs.mkdirSync(folder, { recursive: true });
  const logs = Array.from({ length: sessions }, (_, at) => {
    const log = join(folder, `s${at}.jsonl`);
    const message = { role: "user", content: `hello ${at}` };
    const timestamp = "2026-02-10T12:00:00.000Z";
    const record = { type: "user", uuid: "u", sessionId: `s${at}`, cwd: home, timestamp, message };
    fs.writeFileSync(log, lines(record));
    return log;
  });
  return { home, logs };
}

function seal(home: string, hook: string, log?: string, env: Record<string, string> = {}): Promise<Ended> {
  const [command = "", ...words] = ctxCommand(home, ["__seal", hook]);
  const input = JSON.stringify({ transcript_path: log, cwd: home });
  const own = { HOME: home, XDG_STATE_HOME: "", XDG_CONFIG_HOME: "", ...env };
  return start(command, words, { input, env: own, limit: 60_000 }).ended;
}

function runsIn(home: string): { packs: string[]; problem?: string }[] {
  const text = fs.readFileSync(join(home, ".local/state/ctx/hook-runs.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { packs: string[]; problem?: string });
}

describe(`${crowd} hooks at once`, () => {
  it("many hooks at once lose no note of what they sealed", { timeout: patience }, async () => {
    const { home, logs } = await homeWith(crowd);
    const ended = await Promise.all(logs.map((log) => seal(home, "claude-code", log)));
    expect(ended.map(({ status }) => status)).toEqual(logs.map(() => 0));
    const runs = runsIn(home);
    expect([runs.length, runs.filter(({ packs }) => packs.length === 1).length]).toEqual([crowd, crowd]);
    const note = JSON.parse(fs.readFileSync(join(home, ".ctx/cache/taken-logs.json"), "utf8"));
    expect(Object.keys(note.logs).sort()).toEqual([...logs].sort());
    const found = await runCtx(home, ["discover", "--json"], { env: { HOME: home } });
    expect(found.stdout.match(/"state":"packed"/g)?.length).toBe(crowd);
    expect(fs.readdirSync(join(home, ".ctx/locks"))).toEqual([]);
    expect(fs.readdirSync(join(home, ".local/state/ctx/locks"))).toEqual([]);
  });
});

describe("remotes that are added at once", () => {
  it("remotes that many processes add at once are all listed afterwards", { timeout: patience }, async () => {
    const home = tempFolder();
    const env = { HOME: home, XDG_STATE_HOME: "", XDG_CONFIG_HOME: "" };
    const names = Array.from({ length: 8 }, (_, at) => `r${at}`);
    const ended = await Promise.all(
      names.map((name) => runCtx(home, ["remote", "add", name, `oci://127.0.0.1/${name}`], { env })),
    );
    expect(ended.map(({ status, stderr }) => `${status}${stderr}`)).toEqual(names.map(() => "0"));
    const { stdout } = await runCtx(home, ["remote", "--json"], { env });
    const { remotes } = JSON.parse(stdout) as { remotes: { name: string }[] };
    expect(remotes.map(({ name }) => name)).toEqual(names);
  });
});

describe("the lock of a git hook", () => {
  let home: string;
  let kind: string;
  beforeAll(async () => {
    ({ home } = await homeWith(2));
    await start("git", ["init", "-q", home]).ended;
    kind = `work-hook-${sha256(Buffer.from(join(home, ".ctx"))).slice(0, 16)}`;
  });

  function leave(name: string): string {
    const locks = join(home, ".local/state/ctx/locks");
    fs.mkdirSync(locks, { recursive: true });
    fs.writeFileSync(join(locks, name), "");
    return join(locks, name);
  }

  async function sealed(): Promise<{ packs: string[]; problem?: string } | undefined> {
    expect((await seal(home, "git")).status).toBe(0);
    return runsIn(home).at(-1);
  }

  it("the lock that a killed git hook left blocks nothing, nor does a lock file of older versions", async () => {
    const old = join(home, ".local/state/ctx", `${kind.replace("work-", "")}.lock`);
    fs.mkdirSync(join(old, ".."), { recursive: true });
    fs.writeFileSync(old, "");
    const [place = ""] = ownPlace();
    const dead = leave(`${kind}.${place}.4194304.1.aabbccddeeff`);
    const run = await sealed();
    expect([run?.problem, run?.packs.length]).toEqual([undefined, 2]);
    expect(fs.existsSync(dead)).toBe(false);
  });

  it("the lock of a git hook in another container is waited for shortly, then reported, and ignored when it is old", async () => {
    const other = leave(`${kind}.other-abcdefabcdef-1.17.1.aabbccddeeff`);
    expect((await sealed())?.problem).toBe("the hook of another commit was still running");
    fs.utimesSync(other, 1_925_000_000, 1_925_000_000);
    expect((await sealed())?.problem).toBe(undefined);
    expect(fs.existsSync(other)).toBe(false);
  });
});

/** Returns where this process runs, as names of locks have it. */
function ownPlace(): string[] {
  return [ownId().split(".")[0] ?? ""];
}

describe("a state folder that cannot be created", () => {
  it.each(["/proc", "/dev/null/x", "/proc/self/fdinfo/ctx"])(
    "a state folder that cannot be created (%s) ends no command in a loop: it fails, or goes on without a note",
    { timeout: patience },
    async (folder) => {
      const { home, logs } = await homeWith(1);
      const env = { HOME: home, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: "" };
      const trusted = await runCtx(home, ["trust"], { env, limit: 60_000 });
      expect([trusted.status, trusted.isLate]).toEqual([2, undefined]);
      expect(trusted.stderr).toMatch(/^error: cannot create \S+: .*\((?:ENOENT|ENOTDIR|EACCES|EPERM)\)/);
      const hook = await seal(home, "claude-code", logs[0], { XDG_STATE_HOME: folder });
      expect([hook.status, hook.isLate]).toEqual([0, undefined]);
      expect(fs.readdirSync(join(home, ".ctx/packs")).length).toBe(1);
      const installed = await runCtx(home, ["hook", "install", "gemini", "--yes"], { env, limit: 60_000 });
      expect([installed.status, installed.isLate]).toEqual([0, undefined]);
      const added = await runCtx(home, ["remote", "add", "x", "oci://127.0.0.1/x"], { env, limit: 60_000 });
      expect([added.status, added.isLate]).toEqual([0, undefined]);
    },
  );
});
