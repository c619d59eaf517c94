// Real trajectories in ATIF, against counts that were made without ctx.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { atif } from "../../../src/intake/formats/atif/format.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";

const all = samples().filter(({ detected }) => detected === "atif");

/** Counts that differ, file by file, each with its reason. */
const differences: Record<string, { because: string; counts: Record<string, unknown> }> = {
  "atif/letta-trajectory_tool-calls.json": {
    because: "one result has no content, but only names the trajectory of a sub-agent",
    counts: { results: 1 },
  },
};

describeWith([realLogs(all)], "real trajectories in ATIF", () => {
  it.each(all)("ATIF: the run of the real log $name has the independent counts", ({ name, file, counts }) => {
    const bytes = fs.readFileSync(file);
    expect(fits(atif, bytes)).toBe(true);
    const { runs } = readForeign(atif, bytes);
    const [run] = runs as [ExecutionLog];
    const coverage = run.metadata?.["coverage"] as { records: number };
    const calls = (run.steps ?? []).filter(({ type }) => type === "tool_call");
    const messages = (run.steps ?? []).filter(({ type }) => type === "message");
    expect({
      steps: coverage.records,
      prompts: run.prompts?.length,
      messages: messages.length,
      calls: calls.length,
      answered: calls.filter((step) => step.metadata?.["status"] !== "unanswered").length,
      results: calls.filter((step) => step.output !== undefined).length,
      alone: (run.steps ?? []).filter(({ type }) => type === "tool_result").length,
    }).toEqual({
      steps: counts.steps,
      prompts: counts.sources.user,
      messages: counts.sources.agent,
      calls: counts.tool_calls,
      answered: counts.observation_results,
      results: counts.observation_results,
      alone: 0,
      ...differences[name]?.counts,
    });
  });
});
