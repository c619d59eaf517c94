// What `ctx show` makes of a run that was taken from an agent's own log, and of metadata that only looks like
// that.
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, importedLog, importedMetadata, json, smallLog } from "../../dev/logs.js";

async function show(log: AnyLog, options: { terminal?: number; width?: number } = {}, ...argv: string[]) {
  const { folder } = tempStore();
  const packed = await cli(["pack", "-"], { folder, input: json(log) });
  expect(packed.status, packed.stderr).toBe(0);
  const { stdout, status, stderr } = await cli(["show", "latest", ...argv], { folder, ...options });
  expect(status, stderr).toBe(0);
  return stdout;
}

/** Returns a run that has nothing but metadata. */
function withMetadata(metadata: AnyLog): Promise<string> {
  return show(smallLog({ metadata }));
}

describe("ctx show of an agent's run", () => {
  it("ctx show of an agent's run says where it came from, what happened by turn, and what is unknown", async () => {
    expect(await show(importedLog())).toMatchInlineSnapshot(`
      "ctx://900aff2b93f8677b03c8f36cf7f21efb87660fc4a62adaf9501e7c6702447b44
      Fix the failing test.
      model    claude-opus-4-6
      created  2026-02-10 12:00:00 UTC
      run      8 steps, 5 tool calls
      system   unknown
      source   claude-code 2.1.3, session 1a2b3c4d-0000-4000-8000-123456789abc
      folder   /home/you/repo  main 0123456789ab
      usage    1,234 in, 567 out, 8,900 cached, 7 requests

      system prompt  0 B
        (not recorded)

      prompts  2
        0  user     21 B  Fix the failing test.
        1  user     36 B  Now tidy up.

      steps  8   0 deterministic (=), 8 not (~), 1 abandoned (x)
        turn 0  Fix the failing test.
        0  ~ context  memory        → # House rules
        1  ~ Read     src/pages.ts  → let x
        2  ~ Bash     npm test      → error  1 failing
      x 3  ~ message  Wrong way.
        4  ~ Task     Find callers  → ctx://abababababab  None.
        turn 1  Now tidy up.
        5  ~ Bash     rm -rf dist   → denied  no
        6  ~ Bash     npm run build → unanswered
        7  ~ message  Done.

      coverage  1,204 records
        captured  prompts, messages, tool calls, tool results, times, usage
        rebuilt   outputs: files as their last recorded change left them
        unknown   the system prompt (not recorded), some of the reasoning (encrypted,
                  or not recorded)
        skipped   3 records of unknown kinds (new-thing 2, frame-link 1)
        left out  file-history-snapshot 1,100, summary 2
        damaged   2 lines (line 17: is not valid JSON, line 18: is longer than 512 MB)
        its end is missing
        1 output cut by the producer
        12 characters replaced
        3 repeated records

      metadata
        models  ["claude-opus-4-6","claude-haiku-4-5"]

      in full: ctx show 900aff2b93f8 --step 0   ctx cat fbc0e1fe5805
      "
    `);
  });

  it.each([40, 60, 80, 200])("ctx show of an agent's run fits %i columns", async (width) => {
    const lines = (await show(importedLog(), { width })).split("\n").slice(1);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(width);
  });

  it("ctx show of an agent's run colours what went wrong, and dims what was abandoned", async () => {
    const screen = await show(importedLog(), { terminal: 80 });
    expect(screen).toContain("\u001b[31merror\u001b[39m");
    expect(screen).toContain("\u001b[33mdenied\u001b[39m");
    expect(screen).toContain("\u001b[33munanswered\u001b[39m");
    expect(screen).toMatch(/\u001b\[2mx 3 [^\u001b]*Wrong way\.\u001b\[22m\n/);
    expect(screen.replaceAll(/\u001b\[\d+m/g, "")).toBe(await show(importedLog()));
  });

  it("ctx show --step shows in full what a tool returned and what the model saw of it", async () => {
    expect(await show(importedLog(), {}, "--step", "2")).toMatchInlineSnapshot(`
      "step 2  Bash  of ctx://900aff2b93f8
      type       tool_call, not deterministic
      parameters
        command  npm test
      metadata
        status  error
        turn    0

      output  9 B  c31b0eb4967c
      1 failing

      seen by the model  16 B  a2dfdedc40e9
      exit 1
      1 failing
      "
    `);
  });

  it("ctx show names a sub-agent, the agent behind a format, and other fields of the source", async () => {
    const source = {
      format: "otel",
      agent: "codex",
      session: "s1",
      subagent: "a7",
      originator: "tui",
      n: [1],
    };
    expect(
      await withMetadata({ source, git: { commit_hash: "short", repository_url: "git@x:y" } }),
    ).toContain(
      "source   otel (codex), sub-agent a7 of session s1, n [1], originator tui\n" +
        "git      short, repository_url git@x:y\n",
    );
  });

  it("ctx show numbers turns only where there are several", async () => {
    const steps = [0, 0, "1", 1.5, null].map((turn) => ({ type: "message", metadata: { turn } }));
    expect(await show(smallLog({ steps }))).not.toContain("turn");
    const more = [...steps, { type: "message", metadata: { turn: 7 } }];
    expect(await show(smallLog({ steps: more }))).toContain("  turn 7\n  5  ~ message");
  });

  it.each<[string, AnyLog]>([
    ["source that is a text", { source: "claude-code" }],
    ["source without a format", { source: { session: "s" } }],
    ["source with an empty format", { source: { format: "" } }],
    ["session that is a number", { source: { format: "codex", session: 5 } }],
    ["usage without a source", { usage: { input_tokens: 5 } }],
    ["usage with a text in it", { source: { format: "codex" }, usage: { input_tokens: "5" } }],
    ["usage that is a list", { source: { format: "codex" }, usage: [5] }],
    ["usage that is empty", { source: { format: "codex" }, usage: {} }],
    ["folder that is null", { source: { format: "codex" }, workdir: null }],
    ["branch that is an object", { source: { format: "codex" }, git: { branch: {} } }],
    ["coverage that is a list", { coverage: ["captured"] }],
    ["coverage that is empty", { coverage: {} }],
    ["captured that is a text", { coverage: { captured: "all" } }],
    ["captured with a number in it", { coverage: { captured: [1] } }],
    ["skipped that is a list", { coverage: { skipped: [1] } }],
    ["skipped that counts no number", { coverage: { skipped: { a: "1" } } }],
    ["damaged that is a number", { coverage: { damaged: 2 } }],
    ["damaged lines of another kind", { coverage: { damaged: { count: 1, lines: [17] } } }],
    ["a negative count", { coverage: { captured: ["x"], truncated: -1 } }],
    ["a last line that is a word", { coverage: { captured: ["x"], partial_last_line: "yes" } }],
    ["records past 2^53", { coverage: { captured: ["x"], records: 2 ** 60 } }],
  ])("ctx show lists among the other metadata: %s", async (_what, metadata) => {
    const key = Object.keys(metadata).at(-1) as string;
    const stdout = await withMetadata(metadata);
    const listing = stdout.slice(stdout.indexOf("\nmetadata\n"));
    expect(listing).toContain(`  ${key}  `);
    expect(stdout).not.toContain("\ncoverage");
  });

  it("ctx show lists unknown members of the coverage, and cuts long ones", async () => {
    const captured = Array.from({ length: 5000 }, (_, index) => `thing ${index}`);
    const stdout = await withMetadata({ coverage: { captured, later: { a: 1 } } });
    const section = stdout.slice(stdout.indexOf("\ncoverage\n") + 1).split("\n\n")[0] as string;
    expect(section.split("\n").length).toBeLessThan(9);
    expect(section).toContain("…\n");
    expect(section).toContain('  later     {"a":1}');
  });

  it("ctx show prints only known statuses of a call", async () => {
    const steps = ["ok", "completed", 200, null, "interrupted"].map((status) => ({
      type: "tool_call",
      tool: "t",
      metadata: { status },
    }));
    const stdout = await show(smallLog({ steps }));
    expect(stdout.match(/ t(?: .*)?$/gm)).toEqual([" t", " t", " t", " t", " t  interrupted"]);
  });
});

describe("metadata that ctx show prints elsewhere", () => {
  it("ctx show does not repeat metadata that it shows elsewhere, and lists the rest", async () => {
    const stdout = await withMetadata(importedMetadata({ note: "mine" }));
    expect(stdout.slice(stdout.indexOf("\nmetadata\n"))).toMatch(
      /^\nmetadata\n {2}models {2}.*\n {2}note {4}mine\n\n/,
    );
  });
});
