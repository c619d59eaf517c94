// Packs of one session of an agent are versions of one run: how `ctx log` numbers, groups and finds them.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { LogEntry } from "../../src/results/log.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

const { folder, root } = tempStore();
const packs: Record<string, string> = {};
const first = "1a2b3c4d-0000-4000-8000-123456789abc";
const second = "1a2b9999-0000-4000-8000-123456789abc";

async function add(
  name: string,
  day: number,
  { source, steps = day, ...fields }: { source?: unknown; steps?: number; parent?: string } = {},
): Promise<void> {
  const log = smallLog({
    created: `2026-03-${String(day).padStart(2, "0")}T12:00:00Z`,
    model: { identifier: "opus" },
    metadata: source === undefined ? {} : { source },
    steps: Array.from({ length: steps }, () => ({ type: "message" })),
    ...fields,
  });
  const { stdout, stderr } = await cli(["pack", "-"], { folder, input: json(log) });
  expect(stderr).toBe("");
  packs[name] = stdout.trim().slice("ctx://".length);
}

/** Returns the screen, with the names that packs have here in place of their hashes. */
async function screen(...argv: string[]): Promise<string> {
  let { stdout } = await cli(["log", ...argv], { folder });
  for (const [name, hex] of Object.entries(packs))
    stdout = stdout.replaceAll(hex, `<${name}>`).replaceAll(hex.slice(0, 12), `<${name}>`);
  return stdout;
}

async function entries(...argv: string[]): Promise<(LogEntry & { name: string })[]> {
  const { stdout } = await cli(["log", "--json", ...argv], { folder });
  const names = new Map(Object.entries(packs).map(([name, hex]) => [`sha256:${hex}`, name]));
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogEntry)
    .map((entry) => ({ ...entry, name: names.get(entry.hash) as string }));
}

async function listed(...argv: string[]): Promise<string> {
  return (await entries(...argv))
    .map(({ name, version, versions }) => `${name}${version === undefined ? "" : `:${version}/${versions}`}`)
    .join(" ");
}

beforeAll(async () => {
  const source = { format: "claude-code", session: first };
  await add("a1", 1, { source });
  await add("b1", 2, { source: { format: "claude-code", session: second } });
  await add("a2", 3, { source, steps: 12 });
  await add("sub1", 4, { source: { ...source, subagent: "agent-7" } });
  await add("a3", 5, { source });
  await add("sub2", 6, { source: { ...source, subagent: "agent-7" } });
  await add("fork", 7, { source, parent: `sha256:${packs["a3"]}` });
  await add("none", 8);
  await cli(["tag", "old", packs["a2"] as string], { folder });
});

describe("ctx log with sessions", () => {
  it("ctx log: the versions of a session stand together, where the newest stands", async () => {
    expect(await screen()).toMatchInlineSnapshot(`
      "<none>  (no title)
                    2026-03-08 · 8 steps · opus

      <fork>  (no title)
                    2026-03-07 · claude-code · 7 steps · opus · from <a3>

      <a3>  (no title)
                    2026-03-05 · claude-code · 5 steps · opus · 3 versions
                    <a2>  version 2  12 steps  2026-03-03 (old)
                    <a1>  version 1  1 step    2026-03-01

      <b1>  (no title)
                    2026-03-02 · claude-code · 2 steps · opus · session 1a2b9999
      "
    `);
    expect(await screen("--oneline")).toMatchInlineSnapshot(`
      "<none>  2026-03-08  (no title)
      <fork>  2026-03-07  (no title)
      <a3>  2026-03-05  (no title) (3 versions)
        <a2>  version 2  12 steps  2026-03-03 (old)
        <a1>  version 1  1 step    2026-03-01
      <b1>  2026-03-02  (no title)
      "
    `);
  });

  it("ctx log --graph: the order stays, and each version is only named", async () => {
    expect(await screen("--graph", "--oneline")).toMatchInlineSnapshot(`
      "* <none>  2026-03-08  (no title)
      * <fork>  2026-03-07  (no title)
      * <a3>  2026-03-05  (no title) (version 3 of 3)
      * <sub2>  2026-03-06  (no title) (version 2 of 2)
      * <sub1>  2026-03-04  (no title) (version 1 of 2)
      * <a2>  2026-03-03  (no title) (version 2 of 3) (old)
      * <b1>  2026-03-02  (no title)
      * <a1>  2026-03-01  (no title) (version 1 of 3)
      "
    `);
    expect(await screen("--graph", "-n", "3")).toMatchInlineSnapshot(`
      "* <none>  (no title)
                      2026-03-08 · 8 steps · opus

      * <fork>  (no title)
      |               2026-03-07 · claude-code · 7 steps · opus
      |
      * <a3>  (no title)
                      2026-03-05 · claude-code · 5 steps · opus · version 3 of 3
      "
    `);
  });

  it("ctx log: a wide screen shows the session beside the other facts", async () => {
    const { stdout } = await cli(["log", "-n", "3"], { folder, width: 120 });
    expect(stdout.replaceAll(/[0-9a-f]{12,}/g, "…")).toMatchInlineSnapshot(`
      "…  (no title)
                    2026-03-08 · 8 steps · opus

      …  (no title)
                    2026-03-07 · claude-code · 7 steps · opus · from … · session 1a2b3c4d

      …  (no title)
                    2026-03-05 · claude-code · 5 steps · opus · 3 versions · session 1a2b3c4d
      "
    `);
  });

  it("ctx log --json: versions are plain entries in the order of time", async () => {
    expect(await listed()).toBe("none fork sub2:2/2 a3:3/3 sub1:1/2 a2:2/3 b1:1/1 a1:1/3");
    expect((await entries("--until", "2026-03-04", "-n", "1"))[0]).toMatchObject({
      session: `${first}/agent-7`,
      subagent: "agent-7",
      version: 1,
      versions: 2,
    });
  });

  it("ctx log: all versions are counted, however few are listed", async () => {
    expect(await listed("-n", "4")).toBe("none fork sub2:2/2 a3:3/3");
    expect(await listed("--until", "2026-03-03", "-n", "1")).toBe("a2:2/3");
    expect(await screen("--oneline", "--until", "2026-03-03")).toMatchInlineSnapshot(`
      "<a2>  2026-03-03  (no title) (version 2 of 3) (old)
        <a1>  version 1  1 step  2026-03-01
      <b1>  2026-03-02  (no title)
      "
    `);
  });

  it.each([
    [first, "fork sub2:2/2 a3:3/3 sub1:1/2 a2:2/3 a1:1/3"],
    ["1a2b3", "fork sub2:2/2 a3:3/3 sub1:1/2 a2:2/3 a1:1/3"],
    ["1a2b", "fork sub2:2/2 a3:3/3 sub1:1/2 a2:2/3 b1:1/1 a1:1/3"],
    [`${first}/agent-7`, "sub2:2/2 sub1:1/2"],
    ["1a2", ""],
    ["2b3c4d", ""],
  ])("ctx log --session %s lists the packs that fit", async (id, expected) =>
    expect(await listed("--session", id)).toBe(expected),
  );

  it("ctx log: a note says when no session fits", async () => {
    expect((await cli(["log", "--session", "zzzz"], { folder })).stderr).toBe(
      "note: none of 8 packs matches\n",
    );
  });

  it("ctx log: versions are numbered again only when one is removed", async () => {
    const copy = tempStore();
    fs.rmSync(copy.root, { recursive: true });
    fs.cpSync(root, copy.root, { recursive: true });
    const run = async (): Promise<unknown[]> =>
      (await cli(["log", "--json", "--session", first, "--model", "opus"], { folder: copy.folder })).stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as LogEntry)
        .filter(({ subagent, parent }) => subagent === undefined && parent === undefined)
        .map(({ version, versions }) => [version, versions]);
    const hex = packs["a3"] as string;
    await run();
    fs.utimesSync(join(copy.root, "objects", hex.slice(0, 2), hex.slice(2)), 1, 1);
    expect(await run()).toEqual([
      [3, 3],
      [2, 3],
      [1, 3],
    ]);
    await cli(["rm", packs["a2"] as string, "--force"], { folder: copy.folder });
    expect(await run()).toEqual([
      [2, 2],
      [1, 2],
    ]);
  });
});

describe("sessions in ctx log", () => {
  it.each([
    ["not a text", { session: 5 }],
    ["empty", { session: "" }],
    ["too long", { session: "x".repeat(201) }],
    ["too long with its sub-agent", { session: "x".repeat(100), subagent: "y".repeat(100) }],
    ["of a source that is a list", ["s"]],
  ])("ctx log: a session that is %s is ignored", async (_what, source) => {
    const { folder: place } = tempStore();
    await cli(["pack", "-"], { folder: place, input: json(smallLog({ metadata: { source } })) });
    const { stdout } = await cli(["log", "--json"], { folder: place });
    expect(Object.keys(JSON.parse(stdout) as object)).not.toContain("session");
    expect((await cli(["log"], { folder: place })).stdout).not.toContain("session");
  });

  it("ctx log: a session with one version has only its name", async () => {
    const { folder: place } = tempStore();
    const metadata = { source: { session: "x".repeat(200), subagent: true } };
    await cli(["pack", "-"], { folder: place, input: json(smallLog({ metadata })) });
    expect((await cli(["log"], { folder: place })).stdout).toMatch(/ · session xxxxxxxx\n$/);
    expect((await cli(["log", "--oneline"], { folder: place })).stdout).toMatch(/ {2}\(no title\)\n$/);
  });
});
