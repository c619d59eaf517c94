// Real sessions of opencode, against counts that were made without ctx.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { opencode } from "../../../src/intake/formats/opencode/format.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import { recognise } from "../../../src/intake/recognise.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { readRun } from "../../../dev/read-run.js";
import { samples } from "../../../dev/samples.js";

const all = samples("samples-2").filter(
  ({ name, detected }) => detected === "opencode" && name.endsWith(".json"),
);

describeWith([realLogs(all)], "real sessions of opencode", () => {
  it.each(all)("opencode: the run of the real log $name has the independent counts", ({ file, counts }) => {
    const bytes = fs.readFileSync(file);
    expect(recognise(sourceOf([bytes], { name: file }))).toBe(opencode);
    const { run, calls, steps, prompts, outputs, metadata, source, usage, coverage } = readRun(
      opencode,
      bytes,
      {
        path: file,
      },
    );
    const [provider, model] = counts.models[0].split("/");
    const tools: Record<string, number> = {};
    for (const { tool = "" } of calls) tools[tool] = (tools[tool] ?? 0) + 1;
    const commands = calls.filter(({ metadata: about }) => (about["exit_code"] ?? 0) !== 0);
    const failed = calls.filter(({ metadata: about }) => about["status"] !== "ok");
    expect({
      records: coverage["records"],
      skipped: coverage["skipped"],
      damaged: coverage["damaged"],
      leftOut: coverage["left_out"],
      version: source["version"],
      session: source["session"],
      parent: source["parent_session"] ?? null,
      prompts: prompts.length,
      calls: calls.length,
      answered: calls.filter(({ output }) => output !== undefined).length,
      names: new Set(calls.map(({ metadata: about }) => about["call_id"])).size,
      errors: failed.length - commands.length,
      commands: commands.length,
      thoughts: steps.filter(({ type }) => type === "reasoning").length,
      texts: steps.filter(({ type }) => type === "message").length,
      tools,
      changed: Object.keys(outputs).filter((name) => name !== ".answer.md"),
      last: run.created,
      workdir: metadata["workdir"],
      provider: run.model.parameters?.["provider"],
      model: run.model.identifier,
      requests: usage?.["requests"],
      tokens: {
        input: usage?.["input_tokens"],
        output: usage?.["output_tokens"],
        reasoning: usage?.["reasoning_output_tokens"],
        cache_read: usage?.["cache_read_input_tokens"],
        cache_write: usage?.["cache_creation_input_tokens"],
      },
      cost: metadata["cost_usd"],
    }).toEqual({
      records: counts.records,
      skipped: undefined,
      damaged: undefined,
      leftOut: { "step-start": counts.parts["step-start"] },
      version: counts.versions[0],
      session: counts.session_ids[0],
      parent: counts.parent_session,
      prompts: counts.user_prompt_records,
      calls: counts.tool_calls,
      answered: counts.tool_results,
      // Ids that were masked in the log are numbered.
      names: counts.tool_calls,
      errors: counts.error_results,
      commands: counts.bash_nonzero_exit,
      thoughts: counts.parts.reasoning,
      texts: 1,
      tools: counts.tools,
      changed: counts.files_in_user_diffs,
      last: counts.last_ts,
      workdir: counts.cwds[0],
      provider,
      model,
      requests: counts.api_messages,
      tokens: counts.tokens,
      cost: counts.cost,
    });
  });
});
