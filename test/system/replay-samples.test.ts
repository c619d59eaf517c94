// Sessions of real agents, where they are at hand, replayed without a checkout: the class of each call is as expected,
// no figure falls, nothing runs that was refused, and what diverged is never exact.
import { expect, it } from "vitest";
import { ctx } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, program, realLogs } from "../../dev/needs.js";
import { samples } from "../../dev/samples.js";
import type { ReplayReport } from "../../src/results/replay.js";

/** The calls that match without consent, on any machine, and the classes of all calls. */
const expected: readonly [name: string, matched: number, classes: string][] = [
  ["claude-code/codemie_old-layout/4c2ddfdc-b619-4525-8d03-1950fb1b0257.jsonl", 4, "4 edit, 1 pure, 1 read"],
  ["claude-code/codemie_subagents/turn-2.jsonl", 5, "1 edit, 1 own, 4 pure, 4 read, 1 tool, 2 tree, 1 world"],
  ["claude-code/entire_04_0b015eb1c2_0.jsonl", 5, "1 edit, 2 own, 4 read, 1 refused, 1 tool"],
  ["claude-code/entire_17_55e38d324c_0.jsonl", 13, "3 edit, 11 read, 6 tool, 3 tree"],
  ["claude-code/entire_3f_0fc83a3110_0.jsonl", 11, "3 edit, 4 read, 1 refused, 5 tool, 15 tree"],
  [
    "claude-code/entire_8e_0a64736bc7_0.jsonl",
    7,
    "3 edit, 6 own, 6 pure, 2 read, 1 refused, 2 tool, 4 tree, 7 world",
  ],
  ["claude-code/entire_a6_e4c2a0fbd1_0.jsonl", 4, "3 edit, 3 read, 4 tool"],
  ["claude-code/entire_ec_38b74f08e3_0.jsonl", 2, "2 edit, 1 own, 1 read, 1 tree"],
  ["claude-code/entire_ee_e770a56988_0.jsonl", 5, "2 edit, 2 read, 3 tree, 2 world"],
  ["claude-code/spotter_tool_heavy.jsonl", 2, "1 own, 1 read, 1 tree, 3 world"],
  ["codex/codemie_0.125.0_rollout-2026-05-11T11-26-55.jsonl", 0, "3 edit, 56 own, 37 pure, 4 tool, 2 world"],
  ["gemini-cli/entire_51_3fab7adf0b_0.json", 1, "1 edit"],
  ["gemini-cli/entire_ab_2b9748b105_0.json", 2, "1 edit, 6 pure, 2 read"],
  ["swe-agent/BabyEncryption.traj", 7, "8 edit, 1 own, 1 read, 4 tool, 2 tree"],
  ["swe-agent/pydicom__pydicom-1458.traj", 2, "6 edit, 1 own, 1 pure, 2 tool, 2 tree"],
  ["openhands/runtime_basic.json", 1, "1 edit, 1 own"],
  ["openhands/runtime_basic_gui_mode.json", 2, "2 edit, 1 own, 1 pure"],
  ["mini-swe-agent/github_issue.traj.json", 0, "7 pure, 2 tool, 1 world"],
  ["claude-stream-json/claude-code-action_sample-turns.json", 0, "3 world"],
];

const files = new Map(samples().map(({ name, file }) => [name, file]));
const there = expected.filter(([name]) => files.has(name));

function replayed(name: string, ...argv: string[]): ReplayReport {
  const cwd = tempFolder();
  ctx(["init"], { cwd });
  expect(ctx(["pack", files.get(name) as string, "--no-sidecars"], { cwd })).toMatchObject({ status: 0 });
  return JSON.parse(ctx(["replay", "latest", "--json", ...argv], { cwd }).stdout) as ReplayReport;
}

function classesOf({ steps }: ReplayReport): string {
  const counts = new Map<string, number>();
  for (const step of steps)
    if (step.class !== undefined) counts.set(step.class, (counts.get(step.class) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** Returns the steps that a replay must not have: executed although they are not judged, or bad in an exact one. */
function untruths({ steps, fidelity }: ReplayReport): ReplayReport["steps"] {
  return steps.filter(({ status, executed, ...step }) =>
    ["world", "own", "refused"].includes(step.class ?? "")
      ? executed || status !== "recorded"
      : fidelity === "exact" && (status === "diverged" || status === "failed"),
  );
}

describeWith([realLogs(there)], "replays of real sessions", () => {
  it.each(there)("replay: the classes and the figures of %s", (name, matched, classes) => {
    const report = replayed(name);
    expect(classesOf(report)).toBe(classes);
    expect(report.counts.matched).toBeGreaterThanOrEqual(matched);
    for (const step of report.steps.filter(({ status }) => status === "diverged"))
      expect(step.message).toMatch(/^step \d+, which may have changed it, was not executed$/);
    expect(untruths(report)).toEqual([]);
  });

  describeWith([program("bwrap")], "with consent", () => {
    it.each(there)("replay --allow exec: %s", (name) => {
      expect(untruths(replayed(name, "--allow", "exec"))).toEqual([]);
    });
  });
});
