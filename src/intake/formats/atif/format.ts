// Trajectories in ATIF, the interchange format of Harbor, which converters of many agents write, and the
// dialects from before its rules were settled: one in a document, a list of them, or one a line.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { Coverage } from "../../coverage.js";
import { documentOf } from "../../document.js";
import { listAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { Fit, Format } from "../../format.js";
import type { Head } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { maxDocument, type LogSource, startOf } from "../../log-source.js";
import { atifRun } from "./run.js";

export const atif: Format = {
  name: "atif",
  title: "ATIF trajectories",
  from: "Harbor and Terminal-Bench (agent/trajectory.json), and exporters of many agents",
  sniff,
  read(source, into) {
    const found = trajectories(source, into.coverage);
    if (found.length === 0)
      throw new CtxError("log-unreadable", `${source.name} contains no trajectory`, {
        hint: "a trajectory in ATIF has steps",
      });
    if (found.length === 1) return found.map((root) => atifRun(root, into, into.coverage));
    return found.map((root) => {
      const coverage = new Coverage();
      const run = atifRun(root, into, coverage);
      into.coverage.records += coverage.records;
      return run;
    });
  },
};

const sources = new Set(["system", "user", "agent"]);

function sniff({ document }: Head): Fit {
  const first = Array.isArray(document) ? document[0] : document;
  if (first === undefined || !isObject(first)) return { near: 0, missing: "it is not a JSON object" };
  const version = textAt(first, "schema_version");
  const steps = listAt(first, "steps");
  const hasSteps = Array.isArray(first["steps"]);
  const isOwn =
    sources.has(textAt(steps[0], "source") ?? "") &&
    ["message", "tool_calls", "observation"].some((name) => valueAt(steps[0], name) !== undefined);
  if (version !== undefined && /^ATIF-/i.test(version)) {
    if (hasSteps || objectAt(first, "agent") !== undefined) return true;
    return { near: 0.7, missing: "it has neither an agent nor steps" };
  }
  const isNumbered = version !== undefined && /^v?\d{1,3}\.\d{1,3}$/.test(version);
  if (isNumbered && objectAt(first, "agent") !== undefined && isOwn) return true;
  if (isOwn) return { near: 0.6, missing: "it has no schema_version that starts with ATIF-" };
  return {
    near: isNumbered ? 0.2 : 0,
    missing: "it has no schema_version that starts with ATIF-, and no such steps",
  };
}

function trajectories(source: LogSource, coverage: Coverage): JsonObject[] {
  if (hasLines(source)) {
    const found: JsonObject[] = [];
    for (const { value } of recordsOf(source, coverage, { maxLength: maxDocument })) {
      coverage.records--;
      take(value, found, coverage);
    }
    return found;
  }
  const found: JsonObject[] = [];
  const value = documentOf(source, coverage);
  for (const item of Array.isArray(value) ? value : [value]) take(item, found, coverage);
  return found;
}

function take(value: JsonValue, found: JsonObject[], coverage: Coverage): void {
  if (isObject(value) && Array.isArray(value["steps"])) found.push(value);
  else coverage.skip("something without steps");
}

/** Returns whether the log has one trajectory a line: the first line is one, and not the whole log. */
function hasLines(source: LogSource): boolean {
  const text = startOf(source);
  const end = text.indexOf("\n");
  if (!text.startsWith("{") || end === -1 || (source.isWhole && text.slice(end).trim() === "")) return false;
  try {
    return isObject(JSON.parse(text.slice(0, end)) as JsonValue);
  } catch {
    return false;
  }
}
