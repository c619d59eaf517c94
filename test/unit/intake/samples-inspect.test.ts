// Real logs of Inspect, against counts that were made without ctx.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { inspect } from "../../../src/intake/formats/inspect/format.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";

const all = samples().filter(({ detected }) => detected.startsWith("inspect"));

/** Counts that differ, file by file, each with its reason. */
const differences: Record<string, { because: string; counts: Record<string, unknown> }> = {
  "inspect/log_formats.json": {
    because:
      "its events stand in a transcript, as in the archive of the same log, and the count looked elsewhere",
    counts: { records: 3 + 11, left: { step: 6, state: 2, sample_init: 1, score: 1 } },
  },
};

function stepsOf(run: ExecutionLog, type: string) {
  return (run.steps ?? []).filter((step) => step.type === type);
}

/** Kinds of events that become steps, and are therefore not among what is left out. */
const recorded = new Set(["model", "tool"]);

function leftOut(events: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(events).flatMap(([kind, count]) =>
      recorded.has(kind) ? [] : [[kind === "sandbox" ? "sandbox exec" : kind, count]],
    ),
  );
}

describeWith([realLogs(all)], "real logs of Inspect", () => {
  it.each(all)(
    "Inspect: the runs of the real log $name have the independent counts",
    ({ name, file, counts }) => {
      const bytes = fs.readFileSync(file);
      expect(fits(inspect, bytes)).toBe(true);
      const { runs } = readForeign(inspect, bytes);
      const [run] = runs as [ExecutionLog];
      const coverage = run.metadata?.["coverage"] as { records: number; left_out?: Record<string, number> };
      const { "field store": _, ...left } = coverage.left_out ?? {};
      const total = Object.values(counts.events as Record<string, number>).reduce(
        (sum, count) => sum + count,
        0,
      );
      const calls = stepsOf(run, "tool_call");
      expect({
        samples: runs.length,
        status: run.metadata?.["status"],
        task: run.metadata?.["task"],
        model: run.model.identifier,
        records: coverage.records,
        left,
        calls: calls.length,
        results:
          calls.filter((step) => step.output !== undefined).length + stepsOf(run, "tool_result").length,
      }).toEqual({
        samples: counts.samples,
        status: counts.status,
        task: counts.task,
        model: counts.model,
        records: counts.messages + total,
        left: leftOut(counts.events),
        calls: counts.tool_calls,
        results: counts.tool_messages,
        ...differences[name]?.counts,
      });
    },
  );

  it("Inspect: a real archive and the document of the same log have the same steps", () => {
    const [archive, document] = ["eval", "json"].map((ending) => {
      const found = all.find(({ name }) => name === `inspect/log_formats.${ending}`);
      return found === undefined ? undefined : readForeign(inspect, fs.readFileSync(found.file)).runs[0];
    });
    expect(document?.steps).toEqual(archive?.steps);
    expect(document?.prompts).toEqual(archive?.prompts);
  });
});
