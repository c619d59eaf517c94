// A hook and stores that cannot be used or written, or whose rules mask too much: no session is lost, and the
// notice says why.
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { HookRun } from "../../src/results/intake.js";
import { sealForHook } from "../../src/ops/seal-session.js";
import { acceptStore } from "../../src/store/accepted.js";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { json } from "../../dev/logs.js";
import { claudeSession } from "../../dev/redact-scenes.js";
import { githubToken, password } from "../../dev/secrets.js";

/** Returns a store that takes sessions, and the user's home, with a store unless it is named. */
function acceptedStore(home = tempStore().folder): { folder: string; root: string; home: string } {
  const store = tempStore();
  acceptStore(store, join(home, "state"));
  return { folder: store.folder, root: store.root, home };
}

async function sealed(folder: string, home: string): Promise<HookRun> {
  const path = claudeSession(folder, { secret: githubToken(), other: password });
  return await sealForHook("claude-code", JSON.stringify({ transcript_path: path, cwd: folder }), {
    where: { folder, home, env: {} },
    state: join(home, "state"),
    user: { config: join(folder, "none.json"), state: join(home, "state") },
  });
}

/** Returns what git's hook seals after a commit, of sessions that Claude Code left in the home. */
async function committed(folder: string, home: string, names = ["s1"]): Promise<HookRun> {
  execFileSync("git", ["init", "-q", folder]);
  for (const name of names) leaveSession(folder, home, name);
  return await sealForHook("git", "", {
    where: { folder, home, env: { PATH: process.env["PATH"] } },
    state: join(home, "state"),
    user: { config: join(folder, "none.json"), state: join(home, "state") },
  });
}

function leaveSession(folder: string, home: string, name: string): string {
  const path = join(home, ".claude/projects/p", `${name}.jsonl`);
  fs.mkdirSync(join(path, ".."), { recursive: true });
  const cwd = fs.realpathSync(folder);
  const message = { role: "user", content: `hello from ${name}` };
  const timestamp = "2026-02-10T12:00:00.000Z";
  fs.writeFileSync(path, lines({ type: "user", uuid: "u", sessionId: name, cwd, timestamp, message }));
  return path;
}

const spoilings: [string, (root: string) => void][] = [
  ["its objects cannot be written", (root) => replace(join(root, "objects"))],
  ["its packs cannot be written", (root) => replace(join(root, "packs"))],
  ["no object can be added", fillObjects],
];

it.each(spoilings)("git's hook seals in the home's store where %s, and says so", async (_, spoil) => {
  const { folder, root, home } = acceptedStore();
  spoil(root);
  const { packs, notice, problem } = await committed(folder, home, ["s1", "s2"]);
  expect(problem).toBeUndefined();
  expect(packs).toHaveLength(2);
  expect(notice).toMatch(/; sealed in .* instead/);
  expect((await cli(["show", packs[0] ?? ""], { folder: home })).status).toBe(0);
  expect((await committed(folder, home, [])).packs).toEqual([]);
});

it("git's hook reports what is wrong with the store where the home has none", async () => {
  const { folder, root, home } = acceptedStore(join(tempFolder(), "nobody"));
  replace(join(root, "objects"));
  const { packs, problem } = await committed(folder, home);
  expect([packs, problem]).toEqual([[], expect.stringContaining(join(root, "objects"))]);
});

it("git's hook seals in the home's store only what the repository's store did not take", async () => {
  const { folder, root, home } = acceptedStore();
  expect((await committed(folder, home, ["s1"])).packs).toHaveLength(1);
  fillObjects(root);
  const { packs, problem } = await committed(folder, home, ["s2"]);
  expect([packs.length, problem]).toEqual([1, undefined]);
  const log = await cli(["log", "--json"], { folder: home });
  expect(log.stdout.trim().split("\n")).toHaveLength(1);
});

it.each(spoilings)("a hook seals in the home's store where %s, and says so", async (_, spoil) => {
  const { folder, root, home } = acceptedStore();
  spoil(root);
  const { packs, notice, problem } = await sealed(folder, home);
  expect(problem).toBeUndefined();
  expect(packs).toHaveLength(1);
  expect(notice).toMatch(/; sealed in .* instead/);
  expect((await cli(["show", packs[0] ?? ""], { folder: home })).status).toBe(0);
  expect((await sealed(folder, join(folder, "nobody"))).problem).toBeDefined();
});

/** A plain file in the place of a folder. */
function replace(path: string): void {
  fs.rmSync(path, { recursive: true });
  fs.writeFileSync(path, "");
}

/** A plain file in the place of every folder that an object could be in. */
function fillObjects(root: string): void {
  for (let at = 0; at < 256; at++) {
    const path = join(root, "objects", at.toString(16).padStart(2, "0"));
    if (!fs.existsSync(path)) fs.writeFileSync(path, "");
  }
}

it.each([
  ["a pipe", "config.json", (path: string) => void spawnSync("mkfifo", [path])],
  ["a folder", "config.json", (path: string) => fs.mkdirSync(path)],
  ["a link", "config.json", (path: string) => fs.symlinkSync("/dev/null", path)],
  ["a plain file", "", (path: string) => fs.writeFileSync(path, "")],
])("a hook names what is wrong where there is %s at .ctx/%s, and seals elsewhere", async (_, name, put) => {
  const { folder, root, home } = acceptedStore();
  fs.rmSync(join(root, name), { recursive: true });
  put(join(root, name));
  const { packs, notice } = await sealed(folder, home);
  expect(packs).toHaveLength(1);
  expect(notice).toContain(join(root, name));
});

it("a hook reports how much was masked by rules of a store that is not trusted", async () => {
  const { folder: home } = tempStore();
  const store = tempStore();
  const { folder, root } = store;
  acceptStore(store, join(home, "state"));
  const redact = { rules: [{ id: "all", pattern: "[a-z]{4,}" }] };
  fs.writeFileSync(join(root, "config.json"), json({ version: "0.1", redact }));
  const { notice } = await sealed(folder, home);
  expect(notice).toMatch(/masked by rules of the store's config, which is not trusted: all \d+/);
});
