// Runs of LangChain and LangGraph as LangSmith exports them: flat with the id of the parent run, or nested;
// in a list, one a line, or a single one. Each trace is a run.
import { wholeDocument } from "../../document.js";
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import { listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import { isByLine } from "../../head.js";
import { recordsOf } from "../../parse.js";
import type { RunBuilder } from "../../run-builder.js";
import { maxDocument, type LogSource } from "../../log-source.js";
import { inTimeOrder } from "../../protocols/otel/order.js";
import { spanRun } from "../../protocols/otel/run.js";
import { isRun, type LangSmithRun, runsIn, spanOf, traceNames } from "./runs.js";

export const langsmith: Format = {
  name: "langsmith",
  title: "LangSmith runs",
  from: "exports of LangSmith: LangChain, LangGraph, and programs that use its SDK",
  sniff,
  read(source, into) {
    const traces = tracesOf(runsOf(source, into.coverage));
    if (traces.size === 0)
      throw new CtxError("log-unreadable", `${source.name} contains no runs of LangSmith`);
    return [...traces].map(([trace, runs]) => runOf(trace, runs, into, traces.size === 1));
  },
};

function sniff({ document, records }: Head): Fit {
  if (document === undefined) return { near: 0, missing: "it does not start with JSON" };
  const first = records[0] ?? (Array.isArray(document) ? document[0] : document);
  if (isRun(first) || isRun(listAt(first, "runs")[0])) return true;
  const type = wordAt(first, "run_type") ?? wordAt(listAt(first, "runs")[0], "run_type");
  return type === undefined
    ? { near: 0, missing: "its records have no run_type" }
    : { near: 0.5, missing: `no run of LangSmith has the type "${type}", or lacks both an id and a trace` };
}

/** Returns all runs, each once: later records take precedence. */
function runsOf(source: LogSource, coverage: Coverage): LangSmithRun[] {
  const runs = new Map<string, LangSmithRun>();
  for (const value of valuesOf(source, coverage)) {
    const list = Array.isArray(valueAt(value, "runs")) && !isRun(value) ? listAt(value, "runs") : [value];
    for (const record of list) {
      if (!isObject(record)) {
        coverage.skip("record that is no run");
        continue;
      }
      for (const run of runsIn(record, coverage)) {
        const known = runs.get(run.id);
        if (known === undefined) runs.set(run.id, run);
        else {
          coverage.duplicates++;
          merge(known, run);
        }
      }
    }
  }
  return [...runs.values()];
}

function merge(known: LangSmithRun, later: LangSmithRun): void {
  known.parent = later.parent ?? known.parent;
  for (const [key, value] of Object.entries(later.record))
    if (value !== null) setOwn(known.record, key, value);
}

function valuesOf(source: LogSource, coverage: Coverage): Iterable<JsonValue> {
  if (isByLine(source)) return lineValues(source, coverage);
  const document = wholeDocument(
    source,
    coverage,
    "an export of LangSmith is one JSON document, or one run a line; perhaps it was not written to its end",
  );
  return Array.isArray(document) ? document : [document];
}

function* lineValues(source: LogSource, coverage: Coverage): Generator<JsonObject> {
  for (const { value } of recordsOf(source, coverage, { maxLength: maxDocument })) {
    // Runs are counted, not lines: a line may hold many.
    coverage.records--;
    yield value;
  }
}

function tracesOf(runs: readonly LangSmithRun[]): Map<string, LangSmithRun[]> {
  const traces = new Map<string, LangSmithRun[]>();
  for (const [run, trace] of traceNames(runs)) {
    const list = traces.get(trace) ?? [];
    traces.set(trace, list);
    list.push(run);
  }
  return traces;
}

function runOf(trace: string, runs: readonly LangSmithRun[], into: Into, isOnly: boolean): ExecutionLog {
  const coverage = isOnly ? into.coverage : new Coverage();
  if (!isOnly) coverage.records = runs.length;
  const byId = new Map(runs.map((run) => [run.id, run]));
  const spans = inOrder(runs).map((run) => spanOf(run, byId.get(run.parent ?? ""), coverage));
  return spanRun(
    { session: trace, spans: inTimeOrder(spans, ({ start }) => start) },
    { into, coverage },
    { format: "langsmith", about: (builder) => describeRuns(builder, runs) },
  );
}

/**
 * Sorts runs as LangSmith orders them, so that runs that began at the same time stay apart; without that
 * field, the order of the log holds.
 */
function inOrder(runs: readonly LangSmithRun[]): readonly LangSmithRun[] {
  const keyed = runs.map((run) => ({ run, order: textAt(run.record, "dotted_order") ?? "" }));
  if (keyed.some(({ order }) => order === "")) return runs;
  return keyed.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)).map(({ run }) => run);
}

/** Reads where it ran: of all formats, this one says most about it. */
function describeRuns(builder: RunBuilder, runs: readonly LangSmithRun[]): void {
  const root = runs.find(({ parent }) => parent === undefined) ?? runs[0];
  const runtime = runs
    .map(({ record }) => objectAt(record, "extra", "runtime"))
    .find((each) => each !== undefined && Object.keys(each).length > 0);
  const platform = wordAt(runtime, "platform");
  if (platform !== undefined) builder.environment.os = platform;
  const language = [wordAt(runtime, "runtime"), wordAt(runtime, "runtime_version")].filter(
    (word) => word !== undefined,
  );
  if (language.length > 0) builder.environment.runtime = language.join(" ");
  for (const [key, value] of Object.entries(runtime ?? {})) {
    const [, name] = /^(.+)_version$/.exec(key) ?? [];
    if (name === undefined || name === "runtime" || typeof value !== "string") continue;
    // `sdk_version` is the version of the package that `sdk` names.
    setOwn(builder.toolVersions, wordAt(runtime, name) ?? name, value);
  }
  const metadata = objectAt(root?.record, "extra", "metadata");
  const thread = ["thread_id", "session_id", "conversation_id"]
    .map((key) => wordAt(metadata, key))
    .find((id) => id !== undefined);
  if (thread !== undefined) builder.source["thread"] = thread;
  const project = wordAt(root?.record, "session_name");
  if (project !== undefined) builder.source["project"] = project;
  const tags = listAt(root?.record, "tags").filter((tag) => typeof tag === "string");
  if (tags.length > 0) builder.metadata["tags"] = [...tags];
  const revision = wordAt(metadata, "revision_id");
  if (revision !== undefined) builder.metadata["revision"] = revision;
}
