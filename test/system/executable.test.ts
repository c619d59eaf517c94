// The executable and the program on Node are one program: what they say, what they leave behind and in which
// order they write it is the same. And nothing in the folder that the executable is started in has a say in
// what it does.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { groups } from "../../src/cli/table.js";
import { program as built, repository, type Ran, run } from "../../dev/built.js";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, type Need, program } from "../../dev/needs.js";
import { emptyStore, largeLog, packArgs } from "../../dev/scenes.js";
import { objectFile, objectsOf, reported } from "../../dev/store-check.js";
import { record } from "../../dev/strace.js";
import { stepsOf, violations } from "../../dev/trace-check.js";
import { calls, wholeSession } from "../../dev/whole-session.js";

/** The development dependency; some machines have no build of it. */
const bun: Need = {
  name: "the npm package bun, which there is not for every platform",
  isThere: () => fs.existsSync(join(repository, "node_modules/bun/bin/bun.exe")),
};

const made = tempFolder();
const executable = join(made, "ctx");

beforeAll(() => {
  if (!bun.isThere()) return;
  const { status, stderr } = run(process.execPath, ["scripts/build-exe.mjs", made], { cwd: repository });
  if (status !== 0) throw new Error(stderr);
});

function ctx(args: readonly string[], cwd: string, env: Record<string, string> = {}): Ran {
  return run(executable, args, { cwd, env });
}

describeWith([bun], "the executable", () => {
  it("the executable does every command as the program on Node does, and leaves the same files behind", async () => {
    const used = new Set(calls.map((call) => (typeof call === "string" ? call : call.line).split(" ")[0]));
    for (const { name } of groups.flatMap(({ commands }) => commands)) expect(used).toContain(name);
    const outer = tempFolder();
    // Programs of a replay may run as another user.
    fs.chmodSync(outer, 0o755);
    const place = join(outer, "here");
    const onNode = await wholeSession(place, [process.execPath, built]);
    const alone = await wholeSession(place, [executable]);
    for (const [at, said] of alone.said.entries()) expect(said).toEqual(onNode.said[at]);
    expect(alone.left).toEqual(onNode.left);
    // A session in which nothing works would be alike as well.
    expect(onNode.said.filter(({ status }) => status === 0).length).toBeGreaterThan(60);
    expect(onNode.left.size).toBeGreaterThan(150);
  }, 240_000);

  it("the executable prints the same help as the program on Node", async () => {
    const cwd = tempFolder();
    for (const name of groups.flatMap(({ commands }) => commands.map((command) => command.name)))
      expect(ctx(["help", name], cwd).stdout).toEqual((await cli(["help", name], { folder: cwd })).stdout);
    const { stdout } = ctx(["help", "licences"], cwd);
    for (const part of ["The ContextSubstrate authors", "@modelcontextprotocol/client", "re2js", "Bun"])
      expect(stdout).toContain(part);
  });

  it("the executable ends a search at its time-out, whatever the pattern", () => {
    const cwd = tempFolder();
    const steps = [{ type: "tool_call", tool: "grep", parameters: { pattern: "(a+)+b" }, output: "" }];
    const inputs = [{ name: "a", content: "a".repeat(60) }];
    ctx(["init"], cwd);
    fs.writeFileSync(join(cwd, "log"), json(smallLog({ inputs, steps })));
    ctx(["pack", "log", "--no-sidecars"], cwd);
    expect(ctx(["replay", "latest", "--json"], cwd).stdout).toContain('"reason":"timeout"');
  });

  it("the executable takes no settings or modules from the folder that it is started in", () => {
    const cwd = tempFolder();
    ctx(["init"], cwd);
    ctx(["pack", join(repository, "examples/run.json"), "--no-sidecars"], cwd);
    const calm = [["log"], ["show", "latest", "--json"], ["verify", "--all"]].map((args) => ctx(args, cwd));
    const evil = 'require("node:fs").writeFileSync("pwned", ""); process.exit(7);';
    const settings = { name: "x", main: "evil.js", browser: { "node:fs": "./evil.js" } };
    const paths = { baseUrl: ".", paths: { "*": ["./evil.js"], "node:*": ["./evil.js"] } };
    const traps: Record<string, string> = {
      "evil.js": evil,
      ".env": "CTX_DEBUG=1\nFORCE_COLOR=1\nBUN_OPTIONS=--preload ./evil.js\nBUN_BE_BUN=1\n",
      "bunfig.toml": 'preload = ["./evil.js"]\n',
      "package.json": JSON.stringify({ ...settings, scripts: { log: "touch pwned", show: "touch pwned" } }),
      "tsconfig.json": JSON.stringify({ compilerOptions: paths }),
      "node_modules/fs/index.js": evil,
      "node_modules/zlib/index.js": evil,
    };
    for (const [name, text] of Object.entries(traps)) {
      fs.mkdirSync(join(cwd, name, ".."), { recursive: true });
      fs.writeFileSync(join(cwd, name), text);
    }
    for (const name of [".env.local", ".env.production"]) fs.copyFileSync(join(cwd, ".env"), join(cwd, name));
    const tempted = [["log"], ["show", "latest", "--json"], ["verify", "--all"]].map((args) =>
      ctx(args, cwd),
    );
    expect(tempted).toEqual(calm);
    expect(fs.existsSync(join(cwd, "pwned"))).toBe(false);
  });

  it("the executable is what its hooks call, also from a deleted folder and with variables of Bun set", async () => {
    const home = tempFolder();
    const gone = join(home, "gone");
    const log = join(home, ".claude/projects/p/s1.jsonl");
    fs.mkdirSync(join(log, ".."), { recursive: true });
    fs.mkdirSync(gone);
    const said = {
      type: "user",
      uuid: "u",
      sessionId: "s1",
      cwd: home,
      message: { role: "user", content: "hello" },
    };
    fs.writeFileSync(log, lines({ ...said, timestamp: "2026-02-10T12:00:00.000Z" }));
    ctx(["init"], home, { HOME: home });
    expect(ctx(["hook", "install", "claude-code", "--yes"], home, { HOME: home }).status).toBe(0);
    const installed = fs.readFileSync(join(home, ".claude/settings.json"), "utf8");
    const { command } = JSON.parse(installed).hooks.SessionEnd[0].hooks[0] as { command: string };
    expect(command).toContain(executable);
    expect(ctx(["hook", "install", "claude-code", "--yes"], home, { HOME: home }).stdout).toContain(
      "already",
    );
    const env = { PATH: "/usr/bin:/bin", HOME: home, PWD: gone, BUN_BE_BUN: "1", BUN_OPTIONS: "--version" };
    const input = JSON.stringify({ session_id: "s1", transcript_path: log, cwd: home });
    const called = spawnSync("/bin/sh", ["-c", `rmdir ${gone}; ${command}`], { cwd: gone, env, input });
    expect(called.status).toBe(0);
    const runs = join(home, ".local/state/ctx/hook-runs.jsonl");
    for (let tries = 0; tries < 400 && !fs.existsSync(runs); tries++) await sleep(50);
    expect(JSON.parse(fs.readFileSync(runs, "utf8"))).toMatchObject({ log, packs: [expect.any(String)] });
  });
});

/** Returns what a pack changes on the disk, call by call, and whether a power cut would lose any of it. */
async function changes(words: readonly string[], folder: string): Promise<string[]> {
  const { trace, ended } = await record([...words, "-C", folder, ...packArgs]);
  const root = join(folder, ".ctx");
  const needs = reported(ended.stdout).flatMap((hex) => objectsOf(folder, hex));
  expect(needs.length).toBeGreaterThan(5);
  const scene = { root, needs: needs.map((name) => objectFile(folder, name)) };
  expect(violations(trace, scene)).toEqual([]);
  return [...stepsOf(trace)].flatMap(({ name, paths, text }) => {
    const verb = /^(?:open|rename|mkdir|rmdir|unlink|fsync|fdatasync|syncfs|p?write|link|ftruncate)/.exec(
      name,
    )?.[0];
    const isOurs = paths.some((path) => path.startsWith(folder));
    const isChange = verb !== "open" || /O_CREAT/.test(text);
    if (verb === undefined || !isOurs || !isChange) return [];
    const what = verb === "rmdir" || verb === "unlink" ? "remove" : verb;
    return `${what} ${paths.join(" ")}`
      .replaceAll(folder, "@")
      .replaceAll(/[\w-]+\.\d+\.\d+\.[0-9a-f]{12}/g, "ID");
  });
}

describeWith([bun, program("strace")], "the order in which the executable writes", () => {
  it.each([
    ["a small pack", undefined],
    ["a pack of many blobs", largeLog()],
  ])("the executable writes and flushes %s in the same order as the program on Node", async (_, log) => {
    const alone = await changes([executable], await emptyStore(log));
    expect(alone).toEqual(await changes([process.execPath, built], await emptyStore(log)));
    expect(alone.filter((call) => /^(?:fsync|syncfs)/.test(call)).length).toBeGreaterThan(2);
  });

  it("the executable verifies a pack on more than one thread", async () => {
    const steps = Array.from({ length: 400 }, (_, at) => ({ type: "reasoning", output: `thought ${at}` }));
    const folder = await emptyStore(smallLog({ steps }));
    await record([executable, "-C", folder, ...packArgs]);
    const { trace } = await record([executable, "-C", folder, "verify", "--all"]);
    const readers = [...stepsOf(trace)].filter(({ text }) =>
      /^openat\(.*objects\/..\/[0-9a-f]{62}/.test(text),
    );
    expect(new Set(readers.map(({ thread }) => thread)).size).toBeGreaterThan(1);
  });
});
