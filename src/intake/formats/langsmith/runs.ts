// Runs as LangSmith records them: models, tools and the chains around them, each a record that names its
// parent. They are converted to spans.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { toolInput, toolOutput } from "../../protocols/otel/tool-values.js";
import type { Coverage } from "../../coverage.js";
import { defined, listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { SpanKind, Span } from "../../protocols/otel/span.js";
import { timeOf } from "../../times.js";
import { inputOf, outputOf } from "./messages.js";

export interface LangSmithRun {
  record: JsonObject;
  id: string;
  /** The run that it is nested in. */
  parent: string | undefined;
}

const types = new Set(["llm", "chain", "tool", "retriever", "embedding", "prompt", "parser"]);

export function isRun(value: JsonValue | undefined): value is JsonObject {
  if (
    value === undefined ||
    value === null ||
    !isObject(value) ||
    !types.has(textAt(value, "run_type") ?? "")
  )
    return false;
  const signs = [
    "dotted_order",
    "trace_id",
    "child_runs",
    "parent_run_id",
    "inputs",
    "session_id",
    "start_time",
  ];
  return wordAt(value, "id") !== undefined && signs.some((field) => Object.hasOwn(value, field));
}

/** Returns the runs of a record: itself, and those nested in it. */
export function runsIn(record: JsonObject, coverage: Coverage): LangSmithRun[] {
  const found: LangSmithRun[] = [];
  const waiting: { value: JsonValue; parent: string | undefined }[] = [{ value: record, parent: undefined }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, parent } = next;
    coverage.records++;
    if (!isObject(value) || !types.has(textAt(value, "run_type") ?? "")) {
      coverage.skip(`run of type ${textAt(value, "run_type") ?? "unknown"}`);
      continue;
    }
    const id = wordAt(value, "id") ?? `run-${coverage.records}`;
    found.push({ record: value, id, parent: wordAt(value, "parent_run_id") ?? parent });
    for (const child of [...listAt(value, "child_runs")].reverse())
      waiting.push({ value: child, parent: id });
  }
  return found;
}

/** Returns the trace of each run: the one that it names, or else the run at the top. */
export function traceNames(runs: readonly LangSmithRun[]): Map<LangSmithRun, string> {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const names = new Map<LangSmithRun, string>();
  for (const run of runs) {
    const path = new Set<LangSmithRun>();
    let top = run;
    for (
      let next: LangSmithRun | undefined = run;
      next !== undefined && !path.has(next);
      next = byId.get(next.parent ?? "")
    ) {
      top = next;
      path.add(top);
      if (names.has(top) || traceIn(top.record) !== undefined) break;
    }
    const name = names.get(top) ?? traceIn(top.record) ?? top.id;
    for (const each of path) names.set(each, name);
  }
  return names;
}

function traceIn(record: JsonObject): string | undefined {
  const [, first] = /^\d{8}T\d+Z([\w-]{8,})/.exec(textAt(record, "dotted_order") ?? "") ?? [];
  return wordAt(record, "trace_id") ?? first;
}

export function spanOf(
  { record, id, parent }: LangSmithRun,
  above: LangSmithRun | undefined,
  coverage: Coverage,
): Span {
  const type = textAt(record, "run_type") ?? "";
  const error = wordAt(record, "error");
  const span: Span = {
    id,
    trace: "",
    parent,
    name: wordAt(record, "name") ?? type,
    start: timeOf(valueAt(record, "start_time"), coverage),
    end: timeOf(valueAt(record, "end_time"), coverage),
    hasFailed: error !== undefined || textAt(record, "status") === "error",
    failure: error,
    attributes: {},
    events: [],
    resource: {},
    label: type,
    kind: langSmithKind(type, parent, above),
  };
  if (span.kind === "chat") return { ...span, attributes: chatOf(record, coverage) };
  if (span.kind === "tool") return toolOf(span, record, coverage);
  if (span.kind !== "agent") return span;
  return {
    ...span,
    attributes: defined({
      "gen_ai.agent.name": span.name,
      ...saidIn(record),
      ...langSmithUsage(record),
      ...costOf(record),
    }),
  };
}

/**
 * Returns the kind of a run. A chain at the top is the agent itself, and one that a tool starts is another
 * agent.
 */
function langSmithKind(type: string, parent: string | undefined, above: LangSmithRun | undefined): SpanKind {
  if (type === "llm") return "chat";
  if (type === "tool") return "tool";
  const isTop = parent === undefined || (above !== undefined && textAt(above.record, "run_type") === "tool");
  return type === "chain" && isTop ? "agent" : "idle";
}

function saidIn(record: JsonObject): JsonObject {
  const [inputs, outputs] = [valueAt(record, "inputs"), valueAt(record, "outputs")];
  return defined({
    "gen_ai.input.messages": inputOf(inputs),
    "gen_ai.output.messages": outputOf(outputs, inputs),
  });
}

function chatOf(record: JsonObject, coverage: Coverage): JsonObject {
  const options = objectAt(record, "extra", "invocation_params") ?? objectAt(record, "inputs") ?? {};
  const about = objectAt(record, "extra", "metadata") ?? {};
  for (const field of ["inputs", "outputs"])
    if (valueAt(record, field) === undefined && objectAt(record, `${field}_s3_urls`, "ROOT") !== undefined)
      coverage.addUnknown("some of what was said (LangSmith keeps it elsewhere)");
  return defined({
    ...saidIn(record),
    "gen_ai.response.model":
      wordAt(about, "ls_model_name") ??
      wordAt(options, "model") ??
      wordAt(options, "model_name") ??
      wordAt(record, "outputs", "model") ??
      wordAt(record, "outputs", "llm_output", "model_name"),
    "gen_ai.request.temperature": valueAt(about, "ls_temperature"),
    "gen_ai.request.max_tokens": valueAt(about, "ls_max_tokens"),
    ...Object.fromEntries(
      Object.entries(options)
        .filter(isKept)
        .map(([name, value]) => [`gen_ai.request.${name}`, value]),
    ),
    "gen_ai.tool.definitions": valueAt(options, "tools") ?? valueAt(options, "functions"),
    ...langSmithUsage(record),
    ...costOf(record),
  });
}

const parameterNames =
  /^(?:temperature|top_p|top_k|max_tokens|max_completion_tokens|max_output_tokens|n|seed|stop|stream|streaming|frequency_penalty|presence_penalty|reasoning_effort|tool_choice|parallel_tool_calls|service_tier|thinking_budget)$/;

function isKept([name, value]: [string, JsonValue]): boolean {
  return value !== null && parameterNames.test(name) && (typeof value !== "object" || name === "stop");
}

function costOf(record: JsonObject): JsonObject {
  const cost = valueAt(record, "total_cost");
  return typeof cost === "number" || typeof cost === "string" ? { "gen_ai.usage.cost": cost } : {};
}

/** Returns the usage that LangSmith counted, or else the provider's. */
function langSmithUsage(record: JsonObject): JsonObject {
  const outputs = objectAt(record, "outputs");
  const [generation] = listAt(outputs, "generations").flatMap((each) =>
    Array.isArray(each) ? each : [each],
  );
  const held =
    objectAt(outputs, "usage_metadata") ??
    objectAt(generation, "message", "kwargs", "usage_metadata") ??
    objectAt(outputs, "llm_output", "token_usage") ??
    objectAt(outputs, "usage");
  return defined({
    "gen_ai.usage.input_tokens": count(
      numberAt(record, "prompt_tokens"),
      numberAt(held, "input_tokens"),
      numberAt(held, "prompt_tokens"),
    ),
    "gen_ai.usage.output_tokens": count(
      numberAt(record, "completion_tokens"),
      numberAt(held, "output_tokens"),
      numberAt(held, "completion_tokens"),
    ),
    "gen_ai.usage.cache_read.input_tokens": count(
      numberAt(record, "prompt_token_details", "cache_read"),
      numberAt(held, "input_token_details", "cache_read"),
    ),
    "gen_ai.usage.cache_creation.input_tokens": numberAt(held, "input_token_details", "cache_creation"),
    "gen_ai.usage.reasoning.output_tokens": count(
      numberAt(record, "completion_token_details", "reasoning"),
      numberAt(held, "output_token_details", "reasoning"),
    ),
  });
}

/** Returns the first count; a zero only if there is no other. */
function count(...counts: readonly (number | undefined)[]): number | undefined {
  return counts.find((each) => each !== undefined && each > 0) ?? counts.find((each) => each !== undefined);
}

function toolOf(span: Span, record: JsonObject, coverage: Coverage): Span {
  const inputs = valueAt(record, "inputs");
  const outputs = valueAt(record, "outputs");
  const only = isOnly(inputs, "input") ? valueAt(inputs, "input") : inputs;
  const value = isOnly(outputs, "output") ? valueAt(outputs, "output") : outputs;
  const answer = value === undefined || value === null ? undefined : toolOutput(value, coverage);
  return {
    ...span,
    hasFailed: span.hasFailed || (answer?.hasFailed ?? false),
    attributes: defined({
      "gen_ai.tool.name": span.name,
      "gen_ai.tool.call.id":
        wordAt(record, "extra", "tool_call_id") ??
        wordAt(record, "extra", "metadata", "tool_call_id") ??
        answer?.id,
      "gen_ai.tool.call.arguments":
        only === undefined || only === null ? undefined : toolInput(only, coverage),
      "gen_ai.tool.call.result": answer?.output,
    }),
  };
}

/** Returns whether an object has a single member, of that name. */
function isOnly(value: JsonValue | undefined, name: string): boolean {
  return value !== undefined && value !== null && isObject(value) && Object.keys(value).join() === name;
}
