// What the main screen of `ctx show` looks like at 60, 80 and 120 columns: no label, tab or frame of an
// output takes the room of what a reader looks for.
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { parametersText } from "../../src/render/parameters.js";
import { denialLine, failureLine, resultLine, tellingLine } from "../../src/render/telling-line.js";

const start = Date.parse("2026-05-11T08:27:00Z");

function at(milliseconds: number): string {
  return new Date(start + milliseconds).toISOString();
}

/** A session as Codex writes it: long commands, polls, and labels that are longer than any tool's name. */
const session = smallLog({
  created: at(1_060_000),
  prompts: [
    { role: "user", content: "show tools" },
    { role: "user", content: "<context>\nset the default to 90" },
  ],
  metadata: { workdir: "/home/you/repos/codemie" },
  steps: [
    {
      type: "context",
      metadata: { kind: "environment_context_of_a_very_long_name", turn: 0 },
      output: "<environment_context>\n  <cwd>/home/you/repos/codemie</cwd>\n</environment_context>",
      timestamp: at(20),
    },
    {
      type: "tool_call",
      tool: "exec_command",
      parameters: {
        cmd: "sed -n '1,180p' /home/you/.codex/skills/using-skills/SKILL.md",
        workdir: "/home/you/repos/codemie",
        yield_time_ms: 1000,
      },
      output: "---\nname: using-skills\n---\n",
      timestamp: at(0),
      metadata: { turn: 0, status: "ok" },
    },
    { type: "message", output: "\n\n```sh\nnpm test\n```", timestamp: at(5000), metadata: { turn: 0 } },
    {
      type: "tool_call",
      tool: "write_stdin",
      parameters: { chars: "", session_id: 48230, max_output_tokens: 12000 },
      output: "90\t  process.env",
      timestamp: at(345_000),
      metadata: { turn: 1, status: "ok" },
    },
    {
      type: "tool_call",
      tool: "exec_command",
      parameters: { cmd: 'rg -n "compact|compaction|context" src docs README.md' },
      output: "",
      timestamp: at(346_000),
      metadata: { turn: 1, status: "error", exit_code: 1 },
    },
    {
      type: "tool_call",
      tool: "mcp__linear-server__get_issue",
      parameters: { id: "ENT-98", cursor: null },
      output: '{\n  "title": "Move help.go"\n}\n',
      deterministic: true,
      timestamp: at(1_060_000),
      metadata: { turn: 1, status: "ok" },
    },
  ],
});

async function stepsAt(width: number): Promise<string> {
  const { folder } = tempStore();
  const packed = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(session) });
  expect(packed.status, packed.stderr).toBe(0);
  const { stdout } = await cli(["show", "latest"], { folder, width });
  return stdout.slice(stdout.indexOf("\nsteps") + 1).split("\n\n")[0] as string;
}

describe("the steps of ctx show", () => {
  it("ctx show at 60 columns leaves the room to commands", async () => {
    expect(await stepsAt(60)).toMatchInlineSnapshot(`
      "steps  6   1 deterministic (=), 5 not (~)
        turn 0  show tools
        0    +0.0s  ~ context       environment_context_of_a_very…
        1    +0.0s  ~ exec_command  sed -n '1,180p' /home/you/.co…
        2    +5.0s  ~ message       npm test
        turn 1  set the default to 90
        3   +5m45s  ~ write_stdin   session_id=48230 max_output_t…
        4   +5m46s  ~ exec_command  rg -n "compact|compac… → error
        5  +17m40s  = …get_issue    id=ENT-98"
    `);
  });

  it("ctx show at 80 columns shows commands and the beginning of their outputs", async () => {
    expect(await stepsAt(80)).toMatchInlineSnapshot(`
      "steps  6   1 deterministic (=), 5 not (~)
        turn 0  show tools
        0    +0.0s  ~ context       environment_context_of_a_very_… → <cwd>/home/you/…
        1    +0.0s  ~ exec_command  sed -n '1,180p' /home/you/.cod… → name: using-ski…
        2    +5.0s  ~ message       npm test
        turn 1  set the default to 90
        3   +5m45s  ~ write_stdin   session_id=48230 max_output_toke… → 90 process.env
        4   +5m46s  ~ exec_command  rg -n "compact|compaction|contex… → error  (empty)
        5  +17m40s  = …get_issue    id=ENT-98                       → "title": "Move …"
    `);
  });

  it("ctx show at 120 columns shows sizes as well", async () => {
    expect(await stepsAt(120)).toMatchInlineSnapshot(`
      "steps  6   1 deterministic (=), 5 not (~)
        turn 0  show tools
        0    +0.0s  ~ context          81 B  environment_context_of_a_very_long_name            → <cwd>/home/you/repos/codemi…
        1    +0.0s  ~ exec_command     27 B  sed -n '1,180p' /home/you/.codex/skills/using-skills/SKILL.… → name: using-skills
        2    +5.0s  ~ message          20 B  npm test
        turn 1  set the default to 90
        3   +5m45s  ~ write_stdin      16 B  session_id=48230 max_output_tokens=12000           → 90 process.env
        4   +5m46s  ~ exec_command      0 B  rg -n "compact|compaction|context" src docs README.md → error  (empty)
        5  +17m40s  = …get_issue       30 B  id=ENT-98                                          → "title": "Move help.go""
    `);
  });
});

describe("previews of one line", () => {
  it.each([
    ["}\nreturn 1", "return 1"],
    ["---\nname: x\n---", "name: x"],
    ["\n \t\n```ts\nconst a = 1;\n```", "const a = 1;"],
    ["<file>\n<path>a.ts</path>", "<path>a.ts</path>"],
    ["*** Begin Patch\n*** Update File: a.ts", "*** Update File: a.ts"],
    ["43:\tfirst\t\tsecond", "43: first second"],
    ["{\r\n  5\r\n}", "5"],
    ["日本語\nx", "日本語"],
  ])("the telling line of %j is %j", (text, line) => {
    expect(tellingLine(text)).toBe(line);
  });

  it("a text without a telling line is shown by its first", () => {
    expect(tellingLine("\n}\n---\n")).toBe("}");
    expect(tellingLine("")).toBe("");
  });

  it.each([
    ["<tool_use_error>There is no skill</tool_use_error>\n", "There is no skill"],
    ["<local-command-stdout>Set model\nto opus</local-command-stdout>", "Set model"],
    ["<command-name>/clear</command-name>", "/clear"],
    ["<h1>Title</h1>", "<h1>Title</h1>"],
    ["\n> @acme/web@1.0.0 test\n> vitest run\n", "> vitest run"],
    ["[lint] $ golangci-lint run\n0 issues.\n", "0 issues."],
    ["$ tsc -p .\nsrc/a.ts:1\n", "src/a.ts:1"],
  ])("the telling line of %j is without what an agent or npm put around it", (text, line) => {
    expect(tellingLine(text)).toBe(line);
  });

  it.each([
    [
      "ok  a.com/x 0.1s\n--- FAIL: TestLogin (0.00s)\n    login_test.go:3: got 1\nFAIL",
      "--- FAIL: TestLogin (0.00s)",
    ],
    ["collected 2 items\n0 errors\nE   assert 1 == 2\n", "E   assert 1 == 2"],
    ["Traceback (most recent call last):\n  x\nValueError: no such day\n", "ValueError: no such day"],
    [
      "> web@1.0.0 build\nsrc/a.ts(3,1): error TS2304: Cannot find name 'b'.",
      "src/a.ts(3,1): error TS2304: Cannot find name 'b'.",
    ],
    ["Checking 9 files\n0 failed\nall good", "Checking 9 files"],
  ])("of a failed call whose output is %j, the line that says what failed", (text, line) => {
    expect(failureLine(text)).toBe(line);
  });

  it.each([
    [
      "[test] $ go test ./...\n=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \ta.com/x\t0.3s\n",
      "ok a.com/x 0.3s",
    ],
    ["=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\nok  \ta.com/y\t0.3s\n", "--- FAIL: TestA (0.00s)"],
    ["start\n Tests  2 passed (2)\n", "Tests  2 passed (2)"],
    ["....\nRan 4 tests in 0.1s\n\nOK\n", "OK"],
    ["ok then\nerror: none of this is a test\n", "ok then"],
  ])("of a command whose output is %j, the line that says how its tests ended", (text, line) => {
    expect(resultLine(text)).toBe(line);
  });

  it.each([
    [
      "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse a new type\n",
      "use a new type",
    ],
    [
      "The user doesn't want to proceed with this tool use. STOP.",
      "The user doesn't want to proceed with this tool use. STOP.",
    ],
    ["The user said:\n", "The user said:"],
  ])("of a denied call whose output is %j, what the person said", (text, line) => {
    expect(denialLine(text)).toBe(line);
  });

  it("ctx show: a denied call shows the reason, a long test its result, a tool its whole name", async () => {
    const { folder } = tempStore();
    const log = smallLog({
      steps: [
        {
          type: "tool_call",
          tool: "mcp__linear__create_document",
          parameters: { path: "a/folder/that/has/a/long/name/and/a/file/with/a/longer/one.txt" },
          output:
            "The user doesn't want to proceed with this tool use. the user said:\nmake it a type of its own",
          metadata: { status: "denied" },
        },
        {
          type: "tool_call",
          tool: "mcp__docs__search_documentation_pages",
          parameters: { id: "1" },
          output: "x",
        },
        {
          type: "tool_call",
          tool: "Bash",
          parameters: { command: "go test -v ./..." },
          output: `=== RUN   TestA\n${"    a line of what the test says\n".repeat(200)}--- PASS: TestA (0.1s)\nok  \ta.com/x\t1.8s\n`,
        },
      ],
    });
    await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
    const { stdout } = await cli(["show", "latest"], { folder, width: 110 });
    expect(stdout).toMatch(/\u2026create_document .* denied {2}make it a type of its own/);
    expect(stdout).toMatch(/search_do\u2026on_pages/);
    expect(stdout).toMatch(/go test -v \.\/\.\.\. +\u2192 ok a\.com\/x 1\.8s/);
  });

  it.each([
    ["npm test 2>&1 | tail -3", {}, "status  ok, exit status unknown: the line ends in a pipe"],
    ["npm test | tail -3", { exit_code: 0 }, "status     ok"],
    ["set -o pipefail; npm test | tail -3", {}, "status  ok"],
    ["npm test && npm run lint", {}, "status  ok"],
    ["cat a | sort; npm test", {}, "status  ok"],
  ])("ctx show --step: the status of %s with %j is %s", async (command, more, line) => {
    const { folder } = tempStore();
    const step = { type: "tool_call", tool: "bash", parameters: { command }, output: "ok" };
    const log = smallLog({ steps: [{ ...step, metadata: { status: "ok", ...more } }] });
    await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
    const { stdout } = await cli(["show", "latest", "--step", "0"], { folder });
    expect(stdout.split("\n").map((each) => each.trim())).toContain(line);
    const shown = JSON.parse(
      (await cli(["show", "latest", "--step", "0", "--json"], { folder })).stdout,
    ) as object;
    expect("exit_unknown" in shown).toBe(line.includes("unknown"));
  });

  it("parameters that are empty or repeat the run's folder are left out beside others", () => {
    expect(parametersText({ chars: "", session_id: 5 })).toBe("session_id=5");
    expect(parametersText({ chars: "" })).toBe("chars=");
    expect(parametersText({ cmd: "ls\tx", workdir: "/a" }, "/a")).toBe("ls x");
    expect(parametersText({ workdir: "/a" }, "/a")).toBe("workdir=/a");
  });
});
