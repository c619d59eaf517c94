// `ctx stats`: counts of runs, and what they did and cost.
import { beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { inUtc } from "../../dev/screens.js";
import type { StatsResult } from "../../src/results/stats.js";

inUtc();

const { folder } = tempStore();

async function add(fields: AnyLog): Promise<string> {
  const { stdout } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(smallLog(fields)) });
  return stdout.trim();
}

function call(tool: string, status = "ok", second = 0): AnyLog {
  const timestamp = `2026-02-10T12:00:${String(second).padStart(2, "0")}Z`;
  return { type: "tool_call", tool, parameters: {}, metadata: { status }, timestamp };
}

const of = (session: string, subagent?: string): AnyLog => ({
  workdir: "/srv/app",
  source: {
    format: "claude-code",
    agent: "claude-code",
    session,
    ...(subagent === undefined ? {} : { subagent }),
  },
});

const usage = (input: number, output: number): AnyLog => ({
  usage: { input_tokens: input, output_tokens: output },
});

async function counted(...argv: string[]): Promise<StatsResult> {
  const { stdout, stderr, status } = await cli(["stats", "--json", ...argv], { folder });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as StatsResult;
}

/** Each row as its key, runs, steps and failures. */
async function rowsOf(...argv: string[]): Promise<unknown[]> {
  const { rows } = await counted(...argv);
  return rows.map(({ key, runs, steps, failed }) => [key, runs, steps, failed]);
}

beforeAll(async () => {
  const main = { model: { identifier: "opus" } };
  const steps = [call("Read"), call("Task", "ok", 30)];
  // Two versions of a session, with a sub-agent that ran before the second.
  await add({
    ...main,
    created: "2026-02-09T12:00:00Z",
    steps: steps.slice(0, 1),
    metadata: { ...of("s1"), ...usage(5, 5), cost_usd: 1 },
  });
  await add({
    ...main,
    created: "2026-02-11T12:00:00Z",
    steps,
    metadata: { ...of("s1"), ...usage(100, 10), cost_usd: 0.1 },
  });
  await add({
    model: { identifier: "haiku" },
    created: "2026-02-10T12:00:00Z",
    steps: [call("bash", "error"), call("bash", "denied", 59)],
    metadata: { ...of("s1", "a1"), ...usage(50, 5), cost_usd: 0.2 },
  });
  // A sub-agent whose run is not in the store.
  await add({
    model: { identifier: "haiku" },
    created: "2026-02-12T12:00:00Z",
    steps: [call("bash")],
    metadata: of("s2", "a9"),
  });
  await add({
    model: { identifier: "=cmd()" },
    created: "2026-02-12T23:30:00Z",
    steps: [call("Read", "error"), { type: "reasoning", output: "?" }],
    metadata: { cost_eur: 2.5 },
  });
});

describe("ctx stats", () => {
  it("counts each session once, and sub-agents with the run that started them", async () => {
    const { total, rows, older_versions, unreadable, packs } = await counted();
    expect({ rows, older_versions, unreadable, packs }).toEqual({
      rows: [],
      older_versions: 1,
      unreadable: [],
      packs: 5,
    });
    expect(total).toEqual({
      runs: 3,
      subruns: 1,
      steps: 7,
      failed: 2,
      denied: 1,
      tokens: { input: 150, output: 15, cache_read: 0, cache_creation: 0, reasoning: 0, packs: 2 },
      cost: [
        { currency: "EUR", amount: 2.5, packs: 1 },
        { currency: "USD", amount: 0.3, packs: 2 },
      ],
      duration_ms: 30_000,
    });
  });

  it.each([
    [
      ["--by", "day"],
      [
        ["2026-02-11", 1, 4, 1],
        ["2026-02-12", 2, 3, 1],
      ],
    ],
    [["--by", "week"], [["2026-02-09", 3, 7, 2]]],
    [
      ["--by", "agent"],
      [
        ["claude-code", 2, 5, 1],
        [null, 1, 2, 1],
      ],
    ],
    [
      ["--by", "project"],
      [
        ["/srv/app", 2, 5, 1],
        [null, 1, 2, 1],
      ],
    ],
    [
      ["--by", "model"],
      [
        ["opus", 1, 2, 0],
        ["haiku", 2, 3, 1],
        ["=cmd()", 1, 2, 1],
      ],
    ],
    [
      ["--by", "tool"],
      [
        ["bash", 2, 3, 1],
        ["Read", 2, 2, 1],
        ["Task", 1, 1, 0],
      ],
    ],
    [
      ["--by", "day", "--subagents"],
      [
        ["2026-02-10", 1, 2, 1],
        ["2026-02-11", 1, 2, 0],
        ["2026-02-12", 2, 3, 1],
      ],
    ],
    [
      ["--by", "model", "--model", "opus"],
      [
        ["opus", 1, 2, 0],
        ["haiku", 1, 2, 1],
      ],
    ],
    [["--by", "tool", "--tool", "Read", "--failed"], [["Read", 1, 1, 1]]],
    [["--by", "day", "--until", "2026-02-10"], [["2026-02-09", 1, 3, 1]]],
    [["--by", "day", "--session", "s1/a1"], [["2026-02-10", 1, 2, 1]]],
    [["--by", "day", "--session", "s1"], [["2026-02-11", 1, 4, 1]]],
  ])("ctx stats %j counts %j", async (argv, expected) => {
    expect(await rowsOf(...argv)).toEqual(expected);
    // From the facts that the first answer kept.
    expect(await rowsOf(...argv)).toEqual(expected);
  });

  it("days are those of this machine, and with --utc those of UTC", async () => {
    const before = process.env["TZ"];
    process.env["TZ"] = "Asia/Tokyo";
    try {
      expect(await rowsOf("--by", "day", "--model", "cmd")).toEqual([["2026-02-13", 1, 2, 1]]);
      expect(await rowsOf("--by", "day", "--model", "cmd", "--utc")).toEqual([["2026-02-12", 1, 2, 1]]);
    } finally {
      process.env["TZ"] = before;
    }
  });

  it("ctx stats --by tool has no tokens, cost or time: no log says them of a tool", async () => {
    const { rows, total } = await counted("--by", "tool");
    for (const row of [...rows, { key: "total", ...total }])
      expect(Object.keys(row).sort()).toEqual(["denied", "failed", "key", "runs", "steps", "subruns"]);
    // One run has a step that is no call, too.
    expect([total.runs, total.steps]).toEqual([3, 6]);
  });

  it("ctx stats --by day on a terminal has a bar for each row", async () => {
    const { stdout } = await cli(["stats", "--by", "day", "--no-pager"], { folder, terminal: 100 });
    // oxlint-disable-next-line no-control-regex -- colours
    expect(stdout.replaceAll(/\u001b\[\d+m/g, "")).toMatchInlineSnapshot(`
      "day         runs  steps  failed  tokens  cached              cost  time
      2026-02-11     1      4       1     165       0             $0.30   30s  ███████████████████████████
      2026-02-12     2      3       1       –       –          2.50 EUR     –
      total          3      7       2     165       0  2.50 EUR + $0.30   30s

      1 run of sub-agents counted with the runs that started them
      1 older version of sessions not counted
      tokens are known of 2 of 4 packs
      the cost is known of 2 of 4 packs
      "
    `);
  });

  it("ctx stats in a pipe has no bars; ctx stats without --by has one line", async () => {
    const { stdout } = await cli(["stats", "--by", "model"], { folder });
    expect(stdout).toMatchInlineSnapshot(`
      "model   runs  steps  failed  tokens  cached              cost  time
      opus       1      2       0     110       0             $0.10   30s
      haiku      2      3       1      55       0             $0.20     –
      =cmd()     1      2       1       –       –          2.50 EUR     –
      total      3      7       2     165       0  2.50 EUR + $0.30   30s

      1 run of sub-agents counted with the runs that started them
      1 older version of sessions not counted
      tokens are known of 2 of 4 packs
      the cost is known of 2 of 4 packs
      "
    `);
    expect((await cli(["stats", "--model", "cmd"], { folder })).stdout).toMatchInlineSnapshot(`
      "runs  steps  failed  tokens  cached      cost  time
         1      2       1       –       –  2.50 EUR     –
      "
    `);
    expect((await cli(["stats", "--by", "tool"], { folder })).stdout).toMatchInlineSnapshot(`
      "tool   runs  calls  failed
      bash      2      3       1
      Read      2      2       1
      Task      1      1       0
      total     3      6       2

      1 run of sub-agents counted with the runs that started them
      1 older version of sessions not counted
      "
    `);
  });

  it("ctx stats --csv has a column for each currency, and no formula", async () => {
    const { stdout } = await cli(["stats", "--by", "model", "--csv"], { folder });
    expect(stdout.replaceAll("\r\n", "\n")).toMatchInlineSnapshot(`
      "model,runs,subruns,steps,failed,denied,input_tokens,output_tokens,cache_read_tokens,cache_creation_tokens,duration_ms,cost_eur,cost_usd
      opus,1,0,2,0,0,100,10,0,0,30000,,0.1
      haiku,2,1,3,1,1,50,5,0,0,,,0.2
      '=cmd(),1,0,2,1,0,,,,,,2.5,
      "
    `);
    const total = await cli(["stats", "--csv", "--model", "cmd"], { folder });
    expect(total.stdout.replaceAll("\r\n", "\n")).toMatchInlineSnapshot(`
      "runs,subruns,steps,failed,denied,input_tokens,output_tokens,cache_read_tokens,cache_creation_tokens,duration_ms,cost_eur
      1,0,2,1,0,,,,,,2.5
      "
    `);
  });

  it("names from logs are escaped, and a long folder keeps its end", async () => {
    const other = tempStore();
    const hostile = smallLog({
      model: { identifier: "\u001b[31mred\u202e" },
      metadata: { workdir: `/home/you/${"deep/".repeat(30)}app` },
    });
    await cli(["pack", "-", "--no-sidecars"], { folder: other.folder, input: json(hostile) });
    for (const form of [[], ["--csv"], ["--json"]]) {
      const { stdout } = await cli(["stats", "--by", "model", ...form], { folder: other.folder });
      expect(stdout).toContain("[31mred");
      // oxlint-disable-next-line no-control-regex -- none of them may be there
      expect(stdout).not.toMatch(/[\u001b\u202e]/);
    }
    const { stdout } = await cli(["stats", "--by", "project"], { folder: other.folder });
    expect(stdout.split("\n")[1]).toMatch(/^….*deep\/app +1 /);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([60, 80, 120])(
    "ctx stats fits a terminal of %d columns, with bars where there is room",
    async (terminal) => {
      const { stdout } = await cli(["stats", "--by", "model", "--no-pager"], { folder, terminal });
      // oxlint-disable-next-line no-control-regex -- colours
      const lines = stdout
        .replaceAll(/\u001b\[\d+m/g, "")
        .split("\n")
        .slice(0, 5);
      expect(lines[1]?.includes("█")).toBe(terminal > 60);
      if (terminal > 60) for (const line of lines) expect(line.length).toBeLessThanOrEqual(terminal);
    },
  );

  it("ctx stats says when nothing matches, and when there is nothing", async () => {
    const none = await cli(["stats", "--model", "nobody"], { folder });
    expect(none).toMatchObject({ stdout: "", stderr: "note: none of 5 packs matches\n", status: 0 });
    const empty = await cli(["stats"], { folder: tempStore().folder });
    expect(empty).toMatchObject({ stdout: "", status: 0 });
    expect(empty.stderr).toMatch(/there are no packs here yet/);
  });

  it.each([
    [["--by", "month"], /day, week, model, agent, tool/],
    [["--csv", "--json"], /--csv|--json/],
    [["--errors"], /--failed/],
    [["--by", "day", "--path", ""], /--path needs a non-empty value/],
  ])("ctx stats %j is a usage error", async (argv, message) => {
    const { status, stderr } = await cli(["stats", ...argv], { folder });
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe("ctx stats of logs without times", () => {
  it("ctx stats --by day counts runs without any time in a row of their own", async () => {
    const { folder: other } = tempStore();
    const metadata = {
      source: { format: "mini-swe-agent", agent: "mini-swe-agent" },
      coverage: { unknown: ["times"] },
    };
    const { created: _, ...log } = smallLog({ metadata });
    await cli(["pack", "-", "--no-sidecars"], { folder: other, input: json(log) });
    const { stdout } = await cli(["stats", "--by", "day", "--json"], { folder: other });
    expect((JSON.parse(stdout) as StatsResult).rows.map(({ key, runs }) => [key, runs])).toEqual([[null, 1]]);
    expect((await cli(["stats", "--by", "day"], { folder: other })).stdout).toContain("no time");
  });
});
