// Real sessions of Gemini CLI, against counts that were made without ctx.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { geminiCli } from "../../../src/intake/formats/gemini-cli/format.js";
import { recognise } from "../../../src/intake/recognise.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { readRun } from "../../../dev/read-run.js";
import { samples } from "../../../dev/samples.js";

const all = samples().filter(({ detected }) => detected.startsWith("gemini-cli"));

/** Counts that differ, each with its reason. */
const differences: Record<string, { because: string; counts: object }> = {
  "gemini-cli/entire_51_3fab7adf0b_0.json": {
    because: 'the second "prompt" is the client\'s own: System: Please continue.',
    counts: { prompts: 1, injected: 1 },
  },
  "gemini-cli/agent-sessions_jsonl_v0.40.jsonl": {
    because: "a journal's records are its lines: the head and a patch are counted, too",
    counts: { records: 5 },
  },
};

describeWith([realLogs(all)], "real sessions of Gemini CLI", () => {
  it.each(all)(
    "Gemini CLI: the run of the real log $name has the independent counts",
    ({ name, file, counts }) => {
      const bytes = fs.readFileSync(file);
      expect(recognise(sourceOf([bytes], { name: file }))).toBe(geminiCli);
      const { run, calls, prompts, contexts, metadata, coverage, steps } = readRun(geminiCli, bytes, {
        path: file,
      });
      const tools: Record<string, number> = {};
      for (const { tool = "" } of calls) tools[tool] = (tools[tool] ?? 0) + 1;
      const ended = (...statuses: string[]) =>
        steps.filter((step) => statuses.includes(step.metadata["status"] as string)).length;
      expect({
        records: coverage["records"],
        prompts: prompts.length,
        injected: contexts.length,
        calls: calls.length,
        results: calls.filter(({ output }) => output !== undefined).length,
        errors: ended("error", "denied", "interrupted"),
        tools,
        models: metadata["models"] ?? [run.model.identifier],
        info: (coverage["left_out"] as Record<string, number> | undefined)?.["info"] ?? 0,
        skipped: coverage["skipped"],
      }).toEqual({
        records: counts.messages,
        prompts: counts.roles.user,
        injected: 0,
        calls: counts.tool_calls,
        results: counts.tool_results,
        errors: counts.errors,
        tools: counts.tools,
        models: counts.models,
        info: counts.roles.info ?? 0,
        skipped: undefined,
        ...differences[name]?.counts,
      });
    },
  );
});
