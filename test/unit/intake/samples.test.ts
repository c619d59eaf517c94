import * as fs from "node:fs";
import { expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { formatNamed, recognise } from "../../../src/intake/recognise.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import type { ExecutionLog, LogStep } from "../../../src/model/log.js";
import { readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { type Sample, samples } from "../../../dev/samples.js";

/**
 * What our formats call what the independent reader found. What is not here is no run: `openhands-base-state`
 * is a file beside one.
 */
const names: Record<string, string> = {
  "claude-code": "claude-code",
  "claude-stream-json": "claude-stream-json",
  codex: "codex",
  "codex-exec-json": "codex-exec-json",
  "openai-messages": "openai-messages",
  "tau-bench": "openai-messages",
  "otel-otlp": "otel",
  "otel-spans": "otel",
  "anthropic-response": "anthropic-messages",
  "anthropic-sse": "anthropic-messages",
  "openai-responses": "openai-responses",
  "openai-responses-sse": "openai-responses",
  "gemini-cli": "gemini-cli",
  "gemini-cli-jsonl": "gemini-cli",
  "swe-agent": "swe-agent",
  openhands: "openhands",
  "openhands-v1": "openhands",
  "openhands-eval-output": "openhands",
  inspect: "inspect",
  "inspect-eval-zip": "inspect",
  atif: "atif",
  "flattened-otel": "otel-events",
};

/** Where the recognised format is another on purpose, and why. */
const otherwise: Record<string, { format: string | undefined; because: string }> = {
  "mini-swe-agent/github_issue.traj.json": {
    format: "mini-swe-agent",
    because: "its calls are text in an agent's own form, which chat messages would lose",
  },
};

/** Returns the id of a call as the log has it. */
function loggedId({ metadata }: LogStep): unknown {
  return metadata?.["logged_id"] ?? metadata?.["call_id"];
}

/** Counts that differ, file by file, each with its reason. */
const differences: Record<string, { because: string; counts: Record<string, unknown> }> = {
  "claude-code/agent-sessions_schema-coverage.jsonl": {
    because:
      "made by hand, one record of each kind with ids cut out: three calls and results that have one id or none between them, so that calls and results do not find each other, and no times",
    counts: {
      calls: 3,
      results: 3,
      unanswered: 2,
      orphans: 2,
      errors: 1,
      last: "2026-04-16T20:10:42.522Z",
      prompts: 7,
    },
  },
  "openai-messages/openhands_completion-log_1757015033.json": {
    because: "the last call stands in the response, and the count is of the messages before it",
    counts: { calls: 3, records: 7 },
  },
};

function formatOf(file: string): string | undefined {
  const bytes = fs.readFileSync(file);
  try {
    return recognise(sourceOf([bytes], { name: file }))?.name;
  } catch (error) {
    if (error instanceof CtxError && error.code === "unknown-format") return undefined;
    throw error;
  }
}

function runsOf({ file }: Sample, format: string): ExecutionLog[] {
  const reader = formatNamed(format);
  if (reader === undefined) throw new Error("a foreign format");
  return readForeign(reader, fs.readFileSync(file), { path: file }).runs;
}

function steps(run: ExecutionLog, type: string): LogStep[] {
  return (run.steps ?? []).filter((step) => step.type === type);
}

const unanswered = (step: LogStep): boolean => step.output === undefined;
const failed = (step: LogStep): boolean => ["error", "denied"].includes(step.metadata?.["status"] as string);

/** Kinds of context that the independent count takes for prompts, because the records are the user's. */
const injected = new Set(["command", "command_output", "shell", "ide", "reminder", "task", "interruption"]);

interface Usage {
  requests?: number;
  output_tokens?: number;
}

function claudeCounts(run: ExecutionLog, isAgent: boolean): Record<string, unknown> {
  const usage = run.metadata?.["usage"] as Usage | undefined;
  const typed = steps(run, "context").filter((step) => injected.has(step.metadata?.["kind"] as string));
  // What a local command printed stands in records of the system's too, which are not counted.
  const calls = steps(run, "tool_call");
  return {
    calls: calls.length,
    results: calls.filter((step) => !unanswered(step)).length + steps(run, "tool_result").length,
    unanswered: calls.filter(unanswered).length,
    orphans: steps(run, "tool_result").length,
    errors: (run.steps ?? []).filter(failed).length,
    requests: usage?.requests,
    tokens: usage?.output_tokens,
    prompts: isAgent ? 0 : (run.prompts ?? []).length + typed.length,
    models: modelsOf(run),
    last: run.created ?? null,
  };
}

function modelsOf(run: ExecutionLog): string[] {
  return [...((run.metadata?.["models"] as string[] | undefined) ?? [run.model.identifier])].sort();
}

const all = samples();

describeWith([realLogs(all)], "real logs against independent counts", () => {
  it.each(all)("real logs: $name is recognised", ({ name, file, detected }) => {
    const other = otherwise[name];
    expect(formatOf(file)).toBe(other === undefined ? names[detected] : other.format);
  });

  it.each(all.filter(({ detected }) => detected.startsWith("claude")))(
    "Claude Code: the run of the real log $name has the independent counts",
    (sample) => {
      const { counts, name, detected } = sample;
      const [run] = runsOf(sample, names[detected] as string) as [ExecutionLog];
      const isAgent = /agent-[0-9a-f]+\.jsonl$/.test(name);
      const system = countOf(sample.file, '"subtype":"local_command"');
      const expected = {
        calls: counts.tool_calls,
        results: counts.tool_results,
        unanswered: counts.n_unanswered,
        orphans: counts.orphan_results,
        errors: counts.error_results,
        requests: counts.api_messages,
        tokens: counts.output_tokens_max_per_message,
        prompts: counts.user_prompt_records + system,
        models: counts.models,
        last: counts.last_ts,
        ...differences[name]?.counts,
      };
      expect(claudeCounts(run, isAgent)).toEqual(expected);
    },
  );

  it.each(all.filter(({ detected }) => detected === "codex"))(
    "Codex: the run of the real log $name has the independent counts",
    (sample) => {
      const { counts } = sample;
      const [run] = runsOf(sample, "codex") as [ExecutionLog];
      // The count takes a tool search, which the provider runs, for a tool.
      const calls = (run.steps ?? []).filter(
        ({ type, tool }) => type === "tool_call" || tool === "tool_search",
      );
      const usage = run.metadata?.["usage"] as Record<string, number>;
      const total = counts.final_total_token_usage;
      expect({
        // The independent count is one of ids, and a log may use one for several calls.
        calls: new Set(calls.map(loggedId)).size,
        results: new Set(calls.filter((step) => !unanswered(step)).map(loggedId)).size,
        prompts: (run.prompts ?? []).length,
        messages: steps(run, "message").length,
        models: modelsOf(run),
        tokens: [
          usage["input_tokens"],
          usage["cache_read_input_tokens"],
          usage["output_tokens"],
          usage["reasoning_output_tokens"],
        ],
        version: run.environment.tool_versions?.["codex"],
      }).toEqual({
        calls: counts.tool_calls,
        results: counts.tool_results,
        prompts: counts.user_message_events,
        messages: counts.assistant_messages,
        models: counts.models,
        tokens: [
          total.input_tokens,
          total.cached_input_tokens,
          total.output_tokens,
          total.reasoning_output_tokens,
        ],
        version: counts.cli_version,
      });
    },
  );

  it.each(all.filter(({ name }) => name.startsWith("openai-messages/")))(
    "OpenAI messages: the runs of the real log $name have the independent counts",
    (sample) => {
      const { counts, name } = sample;
      const runs = runsOf(sample, "openai-messages");
      const each = Array.isArray(counts) ? counts : [counts];
      expect(
        runs.map((run) => ({
          records: (run.metadata as { coverage: { records: number } }).coverage.records,
          prompts: (run.prompts ?? []).length,
          calls: steps(run, "tool_call").length,
          results: steps(run, "tool_call").filter((step) => !unanswered(step)).length,
        })),
      ).toEqual(
        each.map(({ messages, roles, tool_calls, tool_messages }) => ({
          records: messages,
          prompts: roles.user,
          calls: tool_calls,
          results: tool_messages,
          ...differences[name]?.counts,
        })),
      );
    },
  );

  it.each(all.filter(({ detected }) => names[detected] === "otel"))(
    "OpenTelemetry: the runs of the real log $name have the independent counts",
    (sample) => {
      const { counts } = sample;
      const runs = runsOf(sample, "otel");
      const found = runs.flatMap((run) => steps(run, "tool_call"));
      expect(found).toHaveLength(counts.operations.execute_tool);
      expect(runs.map((run) => run.metadata?.["operations"])).toEqual([counts.operations]);
    },
  );

  it.each(all.filter(({ detected }) => detected === "codex-exec-json"))(
    "codex exec --json: the run of the real log $name has all completed calls",
    (sample) => {
      const [run] = runsOf(sample, "codex-exec-json") as [ExecutionLog];
      expect(steps(run, "message").length).toBeGreaterThan(0);
      const done =
        /"type":"item.completed","item":\{"id":"\w+","type":"(?:command_execution|file_change|mcp_tool_call)"/g;
      const text = fs.readFileSync(sample.file, "utf8");
      expect(steps(run, "tool_call")).toHaveLength([...text.matchAll(done)].length);
    },
  );
});

function countOf(file: string, text: string): number {
  return fs.readFileSync(file, "utf8").split(text).length - 1;
}
