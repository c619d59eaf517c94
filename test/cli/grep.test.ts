// `ctx grep`: what counts as one run, which targets can be searched, and what is printed.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { sessionStore, tempFolder, tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { goodRun, inUtc, screen as screenIn, storeOf } from "../../dev/screens.js";
import type { SearchHit, SearchSummary } from "../../src/results/search.js";

inUtc();

interface Answer {
  hits: SearchHit[];
  summary: SearchSummary;
  status: number;
  stderr: string;
}

async function grep(folder: string, ...argv: string[]): Promise<Answer> {
  const { stdout, stderr, status } = await cli(["grep", "--json", ...argv], { folder });
  const values = stdout.trimEnd().split("\n");
  const summary = JSON.parse(values.pop() ?? "") as SearchSummary;
  return { hits: values.map((value) => JSON.parse(value) as SearchHit), summary, status, stderr };
}

async function add(folder: string, fields: AnyLog): Promise<string> {
  const { stdout, stderr } = await cli(["pack", "-", "--no-sidecars"], {
    folder,
    input: json(smallLog(fields)),
  });
  expect(stderr).toBe("");
  return stdout.trim().slice("ctx://".length);
}

function call(tool: string, parameters: object, output: string): AnyLog {
  return { type: "tool_call", tool, parameters, output, timestamp: "2026-02-10T12:00:00Z" };
}

/** The metadata of a run of a session, or of a sub-agent's in it. */
function of(subagent?: string): AnyLog {
  const source = { format: "claude-code", session: "s1" };
  return { source: subagent === undefined ? source : { ...source, subagent } };
}

function prompt(content: string): AnyLog {
  return { prompts: [{ role: "user", content }] };
}

describe("ctx grep and the runs of sub-agents", () => {
  const { folder } = tempStore();
  const packs = { main: "", sub: "", other: "" };

  /** Each run with hits: the run that they count for, the pack that has them, and how many it has. */
  async function found(...argv: string[]): Promise<string[]> {
    const names = new Map(Object.entries(packs).map(([name, hex]) => [`sha256:${hex}`, name]));
    const { hits, summary } = await grep(folder, "planted", ...argv);
    const counts = new Map<string, number>();
    for (const { pack, run = pack } of hits) {
      const key = `${names.get(run)}: ${names.get(pack)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(summary.hits).toBe(hits.length);
    expect(summary.runs).toBe(new Set(hits.map(({ pack, run = pack }) => run)).size);
    return [...counts].map(([key, count]) => `${key} ${count}`).sort();
  }

  beforeAll(async () => {
    packs.main = await add(folder, {
      ...prompt("planted by the user"),
      created: "2026-02-09T12:00:00Z",
      model: { identifier: "opus" },
      metadata: of(),
    });
    packs.sub = await add(folder, {
      ...prompt("planted by the agent"),
      created: "2026-02-09T12:05:00Z",
      model: { identifier: "haiku" },
      steps: [call("read_file", { path: "a" }, "planted in a file")],
      metadata: of("agent-7"),
    });
    packs.other = await add(folder, { ...prompt("planted elsewhere"), created: "2026-02-08T12:00:00Z" });
  });

  it("grep: hits in a sub-agent's run count for the run that started it", async () => {
    expect(await found()).toEqual(["main: main 1", "main: sub 2", "other: other 1"]);
  });

  it("grep: --subagents lists the runs of sub-agents as runs of their own", async () => {
    expect(await found("--subagents")).toEqual(["main: main 1", "other: other 1", "sub: sub 2"]);
  });

  it("grep: --no-subagents leaves out the runs of sub-agents", async () => {
    expect(await found("--no-subagents")).toEqual(["main: main 1", "other: other 1"]);
  });

  it("grep: a sub-agent's run counts for its main run although the filters leave that out", async () => {
    expect(await found("--model", "haiku")).toEqual(["main: sub 2"]);
    expect(await found("--model", "haiku", "--no-subagents")).toEqual([]);
  });

  it("grep: a sub-agent's run that is named counts for the run that started it", async () => {
    expect(await found(packs.sub)).toEqual(["main: sub 2"]);
    expect(await found(packs.sub, "--subagents")).toEqual(["sub: sub 2"]);
  });

  it("grep: -m and --max-runs count a run with its sub-agents as one", async () => {
    expect(await found("-m", "2")).toEqual(["main: main 1", "main: sub 1", "other: other 1"]);
    expect(await found("--max-runs", "1")).toEqual(["main: main 1", "main: sub 2"]);
  });

  it("grep: without --json, a hit of a sub-agent says so, and names the sub-agent's pack", async () => {
    const { stdout } = await cli(["grep", "planted in"], { folder });
    expect(stdout).toContain(packs.main.slice(0, 12));
    expect(stdout).toMatch(
      new RegExp(`step 0  of a sub-agent  read_file +ctx show ${packs.sub.slice(0, 12)}`),
    );
  });
});

describe("ctx grep and calls of ctx itself", () => {
  const { folder } = tempStore();
  beforeAll(async () => {
    const steps = [
      call("bash", { command: "ctx grep planted" }, "planted once"),
      call("bash", { command: "cat ctx.txt; ctx grep x" }, "planted in a file"),
      call("mcp__ctx__search", { pattern: "x" }, "planted through MCP"),
      call("mcp__context__search", { pattern: "x" }, "planted by another server"),
    ];
    await add(folder, { steps, metadata: { source: { format: "claude-code", agent: "claude-code" } } });
  });

  it("grep: calls of ctx are left out, and counted", async () => {
    const { hits, summary } = await grep(folder, "planted");
    expect(hits.map(({ step }) => step)).toEqual([1, 3]);
    expect(summary.echoes).toBe(2);
    const { stdout } = await cli(["grep", "planted"], { folder });
    expect(stdout).toContain("left out 2 calls of ctx itself; --with-echoes adds them");
  });

  it("grep: --with-echoes searches them, too", async () => {
    const { hits, summary } = await grep(folder, "planted", "--with-echoes");
    expect(hits.map(({ step, part }) => `${step} ${part}`)).toEqual([
      "0 param",
      "0 output",
      "1 output",
      "2 output",
      "3 output",
    ]);
    expect(summary.echoes).toBe(0);
    const { stdout } = await cli(["grep", "planted", "--with-echoes"], { folder });
    expect(stdout).not.toContain("left out");
  });

  it("grep: a run that has the text in calls of ctx only has no hit", async () => {
    const { hits, status, summary } = await grep(folder, "planted once");
    expect({ hits, status, echoes: summary.echoes }).toEqual({ hits: [], status: 1, echoes: 1 });
  });
});

describe("ctx grep and characters that control a terminal", () => {
  const hostile = "planted \u001b[31mred\u001b]0;title\u0007 \u202egnp.exe \u2066x\u2069 \u009b2J\r!";
  const { folder } = tempStore();
  // oxlint-disable-next-line no-control-regex -- these are what must not be printed
  const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  beforeAll(async () => {
    const steps = [
      call(`tool${hostile}`, { [`key${hostile}`]: hostile }, `before ${hostile}\n${hostile}\nx ${hostile}`),
    ];
    await add(folder, {
      steps,
      prompts: [{ role: "user", content: hostile }],
      created: "2026-02-10T12:00:00Z",
    });
  });

  it.each([[[]], [["-l"]], [["-c"]], [["--steps"]], [["--json"]], [["-n", "--context", "1"]]])(
    "grep %j prints them escaped",
    async (options) => {
      const { stdout, status } = await cli(["grep", "planted", ...options], { folder, width: 80 });
      expect(status).toBe(0);
      expect(stdout).not.toBe("");
      expect(stdout.replaceAll("\n", "")).not.toMatch(controls);
    },
  );

  it("grep: the text of a hit is still there", async () => {
    const { stdout } = await cli(["grep", "planted", "--in", "prompt"], { folder, width: 80 });
    expect(stdout).toContain("gnp.exe");
    const { hits } = await grep(folder, "planted", "--in", "param");
    expect(hits[0]?.text).toBe(hostile);
  });
});

describe("ctx grep in what is not in the store", () => {
  const { folder } = sessionStore();
  const texts = async (...argv: string[]): Promise<string[]> =>
    (await grep(folder, "planted", ...argv)).hits.map(({ text }) => text);

  it("grep: a log is searched without being packed", async () => {
    fs.writeFileSync(join(folder, "run.json"), json(smallLog(prompt("planted in a log"))));
    expect(await texts("run.json")).toEqual(["planted in a log"]);
    const { stdout } = await cli(["grep", "planted", "run.json"], { folder });
    expect(stdout).toContain("ctx show run.json --prompt 0");
    expect((await grep(folder, "planted")).hits).toEqual([]);
  });

  it("grep: a bundle is searched without being imported, as a file and as a page", async () => {
    const { folder: from } = tempStore();
    fs.writeFileSync(join(from, "run.json"), json(smallLog(prompt("planted in a bundle"))));
    await cli(["pack", "run.json", "--tag", "b"], { folder: from });
    for (const name of ["run.ctx", "run.html"]) {
      const made = await cli(["export", "b", "-o", join(folder, name)], { folder: from });
      expect(made.status, made.stderr).toBe(0);
      expect(await texts(name)).toEqual(["planted in a bundle"]);
    }
    expect((await grep(folder, "planted")).hits).toEqual([]);
  });

  it("grep: a draft of a fork is searched", async () => {
    const { folder: here } = tempStore();
    const hex = await add(here, {
      steps: [
        call("read_file", { path: "a" }, "planted in a draft"),
        call("read_file", { path: "b" }, "later"),
      ],
    });
    const forked = await cli(["fork", hex, "--at", "1", "draft"], { folder: here });
    expect(forked.status, forked.stderr).toBe(0);
    const { hits } = await grep(here, "planted", "./draft");
    expect(hits.map(({ text }) => text)).toEqual(["planted in a draft"]);
  });

  it("grep: several targets are searched in the order of the command line", async () => {
    fs.writeFileSync(join(folder, "one.json"), json(smallLog(prompt("planted in one"))));
    fs.writeFileSync(join(folder, "two.json"), json(smallLog(prompt("planted in two"))));
    expect(await texts("two.json", "one.json")).toEqual(["planted in two", "planted in one"]);
  });
});

describe("ctx grep --sessions", () => {
  const base = { cwd: "/srv/web", version: "2.1.0", timestamp: "2026-02-10T12:00:00.000Z" };
  const session = (sessionId: string, content: string): string =>
    lines(
      { type: "user", uuid: "u", sessionId, ...base, message: { role: "user", content } },
      {
        type: "assistant",
        uuid: "a",
        sessionId,
        ...base,
        message: { id: "m", model: "claude-x", role: "assistant", content: [{ type: "text", text: "hi" }] },
      },
    );
  const first = "11111111-0000-4000-8000-000000000001";
  const folder = tempFolder();
  beforeAll(() => {
    const logs = join(folder, ".nobody/.claude/projects/-srv-web");
    fs.mkdirSync(logs, { recursive: true });
    fs.writeFileSync(join(logs, `${first}.jsonl`), session(first, "planted in a session"));
    const second = "22222222-0000-4000-8000-000000000002";
    fs.writeFileSync(join(logs, `${second}.jsonl`), session(second, "nothing"));
  });

  it("grep: sessions are searched although no store is there, and none is made", async () => {
    const { hits, summary, status } = await grep(folder, "planted", "--sessions");
    expect(hits.map(({ text }) => text)).toEqual(["planted in a session"]);
    expect([status, summary.searched.packs]).toEqual([0, 2]);
    expect(fs.existsSync(join(folder, ".ctx"))).toBe(false);
    const { stdout } = await cli(["grep", "planted", "--sessions"], { folder });
    expect(stdout).toContain(`ctx show ${first.slice(0, 8)} --prompt 0`);
  });

  it("grep: --sessions takes no packs", async () => {
    const { status, stderr } = await cli(["grep", "planted", "run.json", "--sessions"], { folder });
    expect(status).toBe(2);
    expect(stderr).toContain("--sessions searches sessions, so no packs can be named with it");
  });
});

describe("screen of ctx grep", () => {
  let folder: string;
  const screen = (width: number, ...argv: string[]): Promise<string> => screenIn(folder, width, argv);
  beforeAll(async () => {
    const failed = smallLog({
      prompts: [{ role: "user", content: "フッターのページ番号を直してください🎉" }],
      steps: [
        call(
          "run_command",
          { command: "npm test -- --reporter dot" },
          `1 ok\n${"x".repeat(90)} done ${"y".repeat(200)}\nend`,
        ),
        call("run_command", { command: "npm test" }, "3 cases done"),
      ],
      created: "2026-02-10T12:00:00Z",
    });
    folder = await storeOf({ good: goodRun, failed });
  });

  it("ctx grep at 60 columns", async () => {
    expect(await screen(60, "grep", "done", "--utc")).toMatchInlineSnapshot(`
      "
      9aa0df32c96f  フッターのページ番号を直してください🎉
                    2026-02-10 12:00 UTC · test-model
        step 0  run_command         ctx show 9aa0df32c96f --step 0
          output  …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx done yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
        step 1  run_command         ctx show 9aa0df32c96f --step 1
          output  3 cases done

      44c2b1e3505f  Implement the following plan: Page numbers in…
                    2026-02-10 12:00 UTC · claude-code · anthropi…
        step 0  read_file           ctx show 44c2b1e3505f --step 0
          output  done
        step 1  edit_file           ctx show 44c2b1e3505f --step 1
          output  done
        step 2  bash                ctx show 44c2b1e3505f --step 2
          output  done

      5 hits in 2 runs; searched 2 runs (all)
      "
    `);
  });
  it("ctx grep at 80 columns", async () => {
    expect(await screen(80, "grep", "done", "--utc")).toMatchInlineSnapshot(`
      "
      9aa0df32c96f  フッターのページ番号を直してください🎉
                    2026-02-10 12:00 UTC · test-model
        step 0  run_command                             ctx show 9aa0df32c96f --step 0
          output  …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx done yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
        step 1  run_command                             ctx show 9aa0df32c96f --step 1
          output  3 cases done

      44c2b1e3505f  Implement the following plan: Page numbers in the footer of every…
                    2026-02-10 12:00 UTC · claude-code · anthropic/claude-opus-4-5-20…
        step 0  read_file                               ctx show 44c2b1e3505f --step 0
          output  done
        step 1  edit_file                               ctx show 44c2b1e3505f --step 1
          output  done
        step 2  bash                                    ctx show 44c2b1e3505f --step 2
          output  done

      5 hits in 2 runs; searched 2 runs (all)
      "
    `);
  });
  it("ctx grep at 120 columns", async () => {
    expect(await screen(120, "grep", "done", "--utc")).toMatchInlineSnapshot(`
      "
      9aa0df32c96f  フッターのページ番号を直してください🎉
                    2026-02-10 12:00 UTC · test-model
        step 0  run_command                                                                     ctx show 9aa0df32c96f --step 0
          output  …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx done yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
        step 1  run_command                                                                     ctx show 9aa0df32c96f --step 1
          output  3 cases done

      44c2b1e3505f  Implement the following plan: Page numbers in the footer of every list
                    2026-02-10 12:00 UTC · claude-code · anthropic/claude-opus-4-5-20251101
        step 0  read_file                                                                       ctx show 44c2b1e3505f --step 0
          output  done
        step 1  edit_file                                                                       ctx show 44c2b1e3505f --step 1
          output  done
        step 2  bash                                                                            ctx show 44c2b1e3505f --step 2
          output  done

      5 hits in 2 runs; searched 2 runs (all)
      "
    `);
  });
});
