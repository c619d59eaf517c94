// A session that a real agent made is replayed at once: all that can be checked matches, and nothing runs that the
// agent's program refused.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type RealAgent, realAgents } from "../../dev/agents/agents.js";
import type { ScriptedCall, ScriptedTask } from "../../dev/agents/script.js";
import { AgentSession, agentIsThere } from "../../dev/agents/session.js";
import { ctx } from "../../dev/built.js";
import { itWith, program } from "../../dev/needs.js";
import type { ReplayedStep, ReplayReport } from "../../src/results/replay.js";

const files = {
  "sum.mjs": "export function sum(a, b) {\n  return a * b;\n}\n",
  "sum.test.mjs":
    'import assert from "node:assert";\nimport test from "node:test";\nimport { sum } from "./sum.mjs";\n\ntest("adds", () => assert.equal(sum(2, 3), 5));\ntest("adds nothing", () => assert.equal(sum(0, 0), 0));\n',
  "README.md": "# Sum\n",
  "keep/file": "to be kept\n",
};

const claude = realAgents["claude-code"];
/** A rule that denies a command, and a hook that stops commits of unfinished work. */
const guarded: RealAgent = {
  ...claude,
  settings: {
    ...claude.settings,
    ".claude/settings.json": {
      permissions: { deny: ["Bash(rm:*)"] },
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash",
            hooks: [
              {
                type: "command",
                command: "if grep -q 'git commit.*unfinished'; then echo 'finish it first' >&2; exit 2; fi",
              },
            ],
          },
        ],
      },
    },
  },
};

const prompts = { main: "Repair the sum and commit it.", subAgent: "Say what the project is about." };

function bash(command: string, more: object = {}): ScriptedCall {
  return { name: "Bash", input: { command, description: "Run a command", ...more } };
}

function script(folder: string): ScriptedTask[] {
  const path = (name: string): { file_path: string } => ({ file_path: join(folder, name) });
  const edit = (name: string, from: string, to: string): ScriptedCall => ({
    name: "Edit",
    input: { ...path(name), old_string: from, new_string: to },
  });
  const calls: ScriptedCall[] = [
    { name: "Read", input: path("sum.mjs") },
    bash("node --test"),
    edit("sum.mjs", "return a * b", "return a + b"),
    edit("sum.mjs", "no such text", "x"),
    edit("README.md", "Sum", "Total"),
    bash("node --test"),
    bash("rm -rf keep"),
    bash("git add -A && git commit -m 'unfinished'"),
    bash("git log --oneline --stat"),
    bash("git add -A && git commit -m 'Add, do not multiply'"),
    bash("git rev-parse HEAD; git status --short; ls keep"),
    bash("sleep 1; echo late > late.txt", { run_in_background: true }),
    {
      name: "Agent",
      input: {
        description: "Look around",
        prompt: prompts.subAgent,
        subagent_type: "general-purpose",
        run_in_background: false,
      },
    },
    { name: "Write", input: { ...path("report.md"), content: "# Report\n" } },
  ];
  return [
    { prompt: prompts.main, turns: [...calls.map((call) => ({ calls: [call] })), { say: "It adds now." }] },
    {
      prompt: prompts.subAgent,
      isSubAgent: true,
      turns: [
        { calls: [{ name: "Read", input: path("README.md") }] },
        { calls: [bash("cat sum.mjs keep/file")] },
        { say: "It is about sums." },
      ],
    },
  ];
}

function callsOf({ steps }: ReplayReport): ReplayedStep[] {
  return steps.filter(({ type }) => type === "tool_call");
}

/** Returns the one session of Claude Code in a home. */
function logIn(home: string): string {
  const projects = join(home, ".claude/projects");
  const logs = fs
    .readdirSync(projects, { recursive: true, encoding: "utf8" })
    .filter((name) => /^[^/]+\/[^/]+\.jsonl$/.test(name))
    .map((name) => join(projects, name))
    .filter((file) => fs.readFileSync(file, "utf8").includes(prompts.main));
  expect(logs).toHaveLength(1);
  return logs[0] as string;
}

itWith(
  [agentIsThere(claude), program("bwrap")],
  "replay: a session of Claude Code replays exactly, at once",
  () => {
    const session = new AgentSession(guarded, files);
    expect(session.prompt(prompts.main, script(session.folder))).toMatchObject({ status: 0 });
    const git = (...args: string[]): string =>
      execFileSync("git", ["-C", session.folder, ...args], { encoding: "utf8" }).trim();
    const [made = "", first = "", ...others] = git("log", "--format=%H").split("\n");
    expect([git("log", "-1", "--format=%s"), others]).toEqual(["Add, do not multiply", []]);

    const run = (argv: readonly string[]): { status: number | null; stdout: string } =>
      ctx(argv, { cwd: session.folder, env: { HOME: session.home } });
    expect(run(["init"])).toMatchObject({ status: 0 });
    const packed = run(["pack", logIn(session.home), "--tag", "repair", "--json"]);
    const before = fs.readdirSync(session.folder);
    const replayed = (name: string): ReplayReport =>
      JSON.parse(
        run(["replay", name, "--auto", "--allow", "exec", "--json", "--repo", session.folder]).stdout,
      ) as ReplayReport;
    const report = replayed("repair");
    const matched = { status: "matched" };
    const refused = { class: "refused", status: "recorded", executed: false };
    const own = { class: "own", status: "recorded", executed: false };
    expect(callsOf(report)).toMatchObject([
      { ...matched, class: "read" },
      { ...matched, compared: "results", exit_code: 1 },
      { ...matched, compared: "effect" },
      { ...matched, compared: "failure" },
      { ...refused, message: "it never ran: the file was not read before" },
      { ...matched, compared: "results" },
      { ...refused, message: "the call was denied" },
      refused,
      matched,
      matched,
      // The commit has the recorded id, the one that the hook stopped is not there, and neither is anything removed.
      matched,
      own,
      own,
      { ...matched, compared: "effect" },
    ]);
    expect(report).toMatchObject({
      fidelity: "exact",
      coverage: { calls: 14, checkable: 9, checked: 9, needs: [] },
      tree: { commit: first, how: "proved" },
    });
    expect(made).not.toBe(first);
    // White space at the end was left out of account, and no id.
    for (const { normalised = [] } of callsOf(report).slice(8, 11))
      expect(normalised.filter((rule) => rule !== "space at the end")).toEqual([]);
    expect(fs.readdirSync(session.folder)).toEqual(before);
    expect([git("log", "-1", "--format=%H"), git("status", "--short", "keep", "sum.mjs")]).toEqual([
      made,
      "",
    ]);

    const { packs = [] } = JSON.parse(packed.stdout) as { packs?: { hash: string }[] };
    const subAgents = packs.map(({ hash }) => replayed(hash));
    expect(subAgents).toMatchObject([{ fidelity: "exact", coverage: { calls: 2, checked: 2 } }]);
  },
);
