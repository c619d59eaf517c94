import * as fs from "node:fs";
import { expect, it } from "vitest";
import { otelEvents } from "../../../src/intake/formats/otel-events/format.js";
import { recognise } from "../../../src/intake/recognise.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";

/**
 * The collection has no counts for it: these were made with a few lines of Python that know nothing of the
 * reader.
 */
const counts = [
  {
    session: "11111111-1111-1111-1111-111111111111",
    prompts: 2,
    calls: ["Edit", "Edit", "Bash", "Read"],
    failed: 1,
    usage: {
      requests: 3,
      input_tokens: 2800,
      output_tokens: 1800,
      cache_read_input_tokens: 54000,
      cache_creation_input_tokens: 2000,
    },
    cost: 0.0545,
    models: ["claude-opus-4-8"],
    last: "2026-06-19T10:03:30.000Z",
  },
  {
    session: "22222222-2222-2222-2222-222222222222",
    prompts: 1,
    calls: ["Grep"],
    failed: 0,
    usage: {
      requests: 2,
      input_tokens: 4000,
      output_tokens: 2600,
      cache_read_input_tokens: 20000,
      cache_creation_input_tokens: 3000,
    },
    cost: 0.035,
    models: ["claude-sonnet-4-6", "converse/eu.anthropic.claude-sonnet-4-6-v1:0"],
    last: "2026-06-19T10:02:45.000Z",
  },
];

function countsOf(run: ExecutionLog): unknown {
  const calls = (run.steps ?? []).filter(({ type }) => type === "tool_call");
  return {
    session: (run.metadata as { source: { session: string } }).source.session,
    prompts: run.prompts?.length,
    calls: calls.map(({ tool }) => tool),
    failed: calls.filter((step) => step.metadata?.["status"] === "error").length,
    usage: run.metadata?.["usage"],
    cost: run.metadata?.["cost_usd"],
    models: run.metadata?.["models"] ?? [run.model.identifier],
    last: run.created,
  };
}

const all = samples().filter(({ detected }) => detected === "flattened-otel");

describeWith([realLogs(all)], "real events of OpenTelemetry", () => {
  it.each(all)(
    "OpenTelemetry events: the runs of the real log $name have the independent counts",
    ({ file }) => {
      const bytes = fs.readFileSync(file);
      expect(recognise(sourceOf([bytes], { name: file }))).toBe(otelEvents);
      const { runs, coverage } = readForeign(otelEvents, bytes);
      expect(runs.map(countsOf)).toEqual(counts);
      expect(coverage.toJson([])).toMatchObject({ records: 16, left_out: { metrics: 2 } });
    },
  );
});
