// Real logs of OpenHands, against counts that were made without ctx.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { openhands } from "../../../src/intake/formats/openhands/format.js";
import { headOf } from "../../../src/intake/head.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";

const all = samples().filter(({ name }) => name.startsWith("openhands/"));

/** Actions that are no calls of a tool. */
const others = ["message", "change_agent_state", "recall", "system", "null"];

interface Counted {
  events: number;
  actions: Record<string, number>;
  observations: Record<string, number>;
  tool_actions: number;
  distinct_tool_call_ids: number;
  models: string[];
}

function expected({ events, actions, observations, ...counts }: Counted): unknown {
  const tools = Object.entries(actions).filter(([name]) => !others.includes(name));
  const results = Object.entries(observations).filter(
    ([name]) => !["null", "agent_state_changed"].includes(name),
  );
  return {
    records: events,
    calls: sum(tools),
    answered: sum(results),
    asked: counts.tool_actions,
    ids: counts.distinct_tool_call_ids,
    models: counts.models.length === 0 ? ["unknown"] : counts.models,
    prompts: 1,
  };
}

function counted({ steps = [], metadata = {}, prompts = [], model }: ExecutionLog): unknown {
  const calls = steps.filter(({ type }) => type === "tool_call");
  // Ids of ours are not the model's.
  const ids = calls
    .map((call) => call.metadata?.["call_id"] as string)
    .filter((id) => !/^(?:event|call)-\d+$/.test(id));
  return {
    records: (metadata["coverage"] as { records: number }).records,
    calls: calls.length,
    answered: calls.filter(({ output }) => output !== undefined).length,
    asked: ids.length,
    ids: new Set(ids).size,
    models: [model.identifier],
    prompts: prompts.length,
  };
}

function sum(entries: [string, number][]): number {
  return entries.reduce((total, [, count]) => total + count, 0);
}

describeWith([realLogs(all)], "real logs of OpenHands", () => {
  it.each(all.filter(({ counts }) => counts !== null))(
    "OpenHands: the run of the real log $name has the independent counts",
    ({ file, counts }) => {
      const log = fs.readFileSync(file);
      expect(fits(openhands, log)).toBe(true);
      const { runs } = readForeign(openhands, log, { path: file });
      expect(runs.map(counted)).toEqual([counts].flat().map((each) => expected(each as Counted)));
    },
  );

  it("OpenHands: a real log of SDK events, one per line, has all calls and results", () => {
    const sample = all.find(({ detected }) => detected === "openhands-v1");
    const log = fs.readFileSync(sample?.file as string, "utf8");
    const [run] = readForeign(openhands, log).runs;
    const kinds = (kind: string): number =>
      log.split(`"kind": "${kind}"`).length + log.split(`"kind":"${kind}"`).length - 2;
    const calls = (run?.steps ?? []).filter(({ type }) => type === "tool_call");
    const orphans = (run?.steps ?? []).filter(({ type }) => type === "tool_result");
    expect(calls).toHaveLength(kinds("ActionEvent"));
    expect(calls.filter(({ output }) => output !== undefined).length + orphans.length).toBe(
      kinds("ObservationEvent"),
    );
    expect(run?.metadata?.["usage"]).toMatchObject({ input_tokens: 107_458, output_tokens: 1347 });
  });

  it("OpenHands: a state without its events is no run, and the refusal names the folder of the events", () => {
    const sample = all.find(({ detected }) => detected === "openhands-base-state");
    const fit = openhands.sniff(headOf(fs.readFileSync(sample?.file as string), true), sample?.file);
    expect(fit).toMatchObject({ near: 0.99, missing: expect.stringContaining("events/") });
  });
});
