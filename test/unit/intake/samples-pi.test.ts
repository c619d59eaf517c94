// Real sessions of pi, against counts that were made without ctx.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { pi } from "../../../src/intake/formats/pi/format.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import { recognise } from "../../../src/intake/recognise.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { readRun } from "../../../dev/read-run.js";
import { samples } from "../../../dev/samples.js";

const all = samples("samples-2").filter(({ detected }) => detected === "pi");

describeWith([realLogs(all)], "real sessions of pi", () => {
  it.each(all)("pi: the run of the real log $name has the independent counts", ({ file, counts }) => {
    const bytes = fs.readFileSync(file);
    expect(recognise(sourceOf([bytes], { name: file }))).toBe(pi);
    const { run, calls, steps, contexts, prompts, metadata, source, usage, coverage } = readRun(pi, bytes, {
      path: file,
    });
    const tools: Record<string, number> = {};
    for (const { tool = "" } of calls) tools[tool] = (tools[tool] ?? 0) + 1;
    const answered = calls.filter(({ output }) => output !== undefined);
    const models = counts.models.map((name: string) => name.slice(name.indexOf("/") + 1));
    expect({
      records: coverage["records"],
      damaged: coverage["damaged"],
      skipped: coverage["skipped"],
      version: source["session_version"] ?? null,
      session: source["session"],
      parent: source["parent_session"] ?? null,
      prompts: prompts.length,
      calls: calls.length,
      answered: answered.length,
      orphans: steps.filter(({ type }) => type === "tool_result").length,
      errors: answered.filter(({ metadata: about }) => about["status"] !== "ok").length,
      thoughts: steps.filter(({ type }) => type === "reasoning").length,
      shell: contexts.filter(([kind]) => kind === "shell").length,
      compactions: contexts.filter(([kind]) => kind === "compaction").length,
      tools,
      last: run.created,
      workdir: metadata["workdir"],
      requests: usage?.["requests"],
      tokens: {
        input: usage?.["input_tokens"],
        output: usage?.["output_tokens"],
        cacheRead: usage?.["cache_read_input_tokens"],
        cacheWrite: usage?.["cache_creation_input_tokens"],
      },
      cost: Number((metadata["cost_usd"] as number).toFixed(6)),
    }).toEqual({
      records: counts.records,
      damaged: undefined,
      skipped: undefined,
      version: counts.header_version,
      session: counts.session_ids[0],
      parent: counts.parent_session,
      prompts: counts.user_prompt_records,
      calls: counts.tool_calls,
      answered: counts.tool_results,
      orphans: counts.orphan_results,
      errors: counts.error_results,
      thoughts: counts.thinking_blocks,
      shell: counts.bash_executions_by_person,
      compactions: counts.compactions + (counts.roles.compactionSummary ?? 0),
      tools: counts.tools,
      last: counts.last_ts,
      workdir: counts.cwds[0],
      requests: counts.api_messages,
      tokens: counts.tokens,
      cost: counts.cost_usd,
    });
    const named = metadata["models"] ?? [run.model.identifier];
    expect(models).toEqual(expect.arrayContaining(named as string[]));
  });
});
