// Logs of evaluations with Inspect, as archives (`.eval`) or as one JSON document. Each sample and epoch is a
// run.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import { documentOf } from "../../document.js";
import { listAt, numberAt, objectAt, objectsAt, wordAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import type { LogSource } from "../../log-source.js";
import { firstNames, isZip } from "../../zip-directory.js";
import { archiveOf, isInspectEntry } from "./archive.js";
import { inspectRun } from "./run.js";

export const inspect: Format = {
  name: "inspect",
  title: "Inspect AI evaluation logs",
  from: "inspect eval: logs/*.eval, or *.json; a run for each sample and epoch",
  sniff,
  read(source, into) {
    const runs = isZip(source.head) ? readArchive(source, into) : readDocument(source, into);
    if (runs.length > 0) return runs;
    throw new CtxError("log-unreadable", `${source.name} contains no samples that ctx can read`, {
      hint: "an evaluation that has just started has none yet; with `--no-log-samples`, none are logged",
    });
  },
};

function sniff({ bytes, document }: Head): Fit {
  if (isZip(bytes)) {
    if (firstNames(bytes).some(isInspectEntry)) return true;
    return { near: 0.5, missing: "it is an archive without header.json and _journal/start.json" };
  }
  if (document === undefined || !isObject(document))
    return { near: 0, missing: "it is neither an archive nor a JSON object" };
  const about = objectAt(document, "eval");
  if (about === undefined) return { near: 0, missing: 'it has no "eval"' };
  if (wordAt(about, "task") === undefined || wordAt(about, "model") === undefined)
    return { near: 0.4, missing: 'its "eval" names no task and model' };
  if (wordAt(document, "status") === undefined && objectAt(document, "plan") === undefined)
    return { near: 0.5, missing: "it has neither a status nor a plan" };
  if (numberAt(document, "version") === undefined && wordAt(about, "created") === undefined)
    return { near: 0.5, missing: 'it has no version, and its "eval" does not say when it was made' };
  return true;
}

function readArchive(source: LogSource, into: Into): ExecutionLog[] {
  const { header, count, samples } = archiveOf(source, into.coverage);
  const runs: ExecutionLog[] = [];
  for (const sample of samples) runs.push(runOf(header, sample, into, count === 1));
  return runs;
}

function readDocument(source: LogSource, into: Into): ExecutionLog[] {
  const value = documentOf(source, into.coverage);
  const samples = objectsAt(value, "samples");
  for (const other of listAt(value, "samples"))
    if (!isObject(other)) into.coverage.skip("sample that is no object");
  return samples.map((sample) => runOf(objectAt(value) ?? {}, sample, into, samples.length === 1));
}

/** Builds the run of a sample. Unreadable parts of a log with one sample belong to that sample. */
function runOf(header: JsonObject, sample: JsonObject, into: Into, isAlone: boolean): ExecutionLog {
  const coverage = isAlone ? into.coverage : new Coverage();
  const run = inspectRun({ header, sample, isAlone }, into, coverage);
  if (!isAlone) into.coverage.records += coverage.records;
  return run;
}
