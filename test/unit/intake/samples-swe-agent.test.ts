// Real trajectories of SWE-agent, against counts that were made without ctx.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { sweAgent } from "../../../src/intake/formats/swe-agent/format.js";
import type { LogStep } from "../../../src/model/log.js";
import { fits, readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";

const all = samples().filter(({ name }) => name.startsWith("swe-agent/"));

/** Models that are replayed, or say nothing, have zeros; then nothing is said about tokens. */
const orNothing = (count: number | undefined): number | undefined => (count === 0 ? undefined : count);

describeWith([realLogs(all)], "real trajectories of SWE-agent", () => {
  it.each(all)("SWE-agent: the run of the real log $name has the independent counts", ({ file, counts }) => {
    const log = fs.readFileSync(file);
    expect(fits(sweAgent, log)).toBe(true);
    const { runs } = readForeign(sweAgent, log, { path: file });
    const [run] = runs;
    const steps: LogStep[] = run?.steps ?? [];
    const calls = steps.filter(({ type }) => type === "tool_call");
    const { metadata = {} } = run ?? {};
    const usage = metadata["usage"] as Record<string, number> | undefined;
    const stats = counts.model_stats ?? undefined;
    expect(runs).toHaveLength(1);
    expect({
      calls: calls.length,
      answered: calls.filter(({ output }) => output !== undefined).length,
      orphans: steps.filter(({ type }) => type === "tool_result").length,
      prompts: run?.prompts?.length,
      records: (metadata["coverage"] as { records: number }).records,
      outcome: metadata["outcome"] ?? null,
      cost: metadata["cost_usd"],
      requests: metadata["requests"],
      sent: usage?.["input_tokens"],
      received: usage?.["output_tokens"],
    }).toEqual({
      calls: counts.tool_calls,
      answered: counts.tool_calls,
      orphans: 0,
      prompts: 1,
      records: counts.steps + counts.history,
      outcome: counts.exit_status,
      cost: stats?.instance_cost,
      requests: stats?.api_calls,
      sent: orNothing(stats?.tokens_sent),
      received: orNothing(stats?.tokens_received),
    });
  });
});
