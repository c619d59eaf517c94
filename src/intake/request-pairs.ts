// Pairs requests to a model with their responses, as programs and proxies record them: bare, in a record that
// holds both, as a line of a batch, with the response possibly as a captured stream.
import { wholeDocument } from "./document.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import { Coverage } from "./coverage.js";
import { objectAt, valueAt } from "./json-access.js";
import { isByLine } from "./head.js";
import { parseValue, recordsOf } from "./parse.js";
import { maxDocument, type LogSource } from "./log-source.js";

/** A request and its response, as far as a record has them. */
export interface Exchange {
  record: JsonObject;
  request: JsonObject | undefined;
  response: JsonObject | undefined;
  /** The response as a captured stream. */
  streamed: string | undefined;
}

/** How to recognise requests and responses of an API. */
export interface Shapes {
  isRequest: (value: JsonObject) => boolean;
  isResponse: (value: JsonObject) => boolean;
  isStream: (text: string) => boolean;
}

export function exchangeIn(
  record: JsonObject,
  shapes: Shapes,
  coverage = new Coverage(),
): Exchange | undefined {
  const request = [record, ...objectsIn(record, ["request", "params", "body"], coverage)].find(
    shapes.isRequest,
  );
  const answers = objectsIn(record, ["response", "result", "completion", "output"], coverage);
  const response = [record, ...answers].find(shapes.isResponse);
  const streamed = response === undefined ? streamOf(record, shapes.isStream) : undefined;
  if (request === undefined && response === undefined && streamed === undefined) return undefined;
  return { record, request, response, streamed };
}

/** Returns the objects under these names, and those one level deeper, in bodies. */
function objectsIn(record: JsonObject, names: readonly string[], coverage: Coverage): JsonObject[] {
  return names.flatMap((name) => {
    const found = bodyOf(valueAt(record, name), coverage);
    const inner = ["body", "message", "response", "data"].map((key) => bodyOf(valueAt(found, key), coverage));
    return [found, ...inner].filter((object) => object !== undefined);
  });
}

/** Returns an object, or parses a string that holds one. */
function bodyOf(value: JsonValue | undefined, coverage: Coverage): JsonObject | undefined {
  if (typeof value !== "string") return objectAt(value);
  if (!/^\s*\{/.test(value)) return undefined;
  const parsed = parseValue(Buffer.from(value), coverage);
  return parsed instanceof Error ? undefined : objectAt(parsed);
}

function streamOf(record: JsonObject, isStream: (text: string) => boolean): string | undefined {
  const response = valueAt(record, "response");
  const texts = [response, ...["body_raw", "body", "raw", "text"].map((name) => valueAt(response, name))];
  return texts.find((text): text is string => typeof text === "string" && isStream(text));
}

/** Returns when a record says that it happened. */
export function timeIn(record: JsonObject): JsonValue | undefined {
  return (
    valueAt(record, "timestamp") ??
    valueAt(record, "logged_at") ??
    valueAt(record, "response", "timestamp") ??
    valueAt(record, "request", "timestamp")
  );
}

/** Returns the elements of a log: its lines, the elements of its list, or its one value. */
export function listedIn(source: LogSource, coverage: Coverage): readonly JsonValue[] {
  if (isByLine(source)) {
    const { records } = coverage;
    const list: JsonObject[] = [];
    for (const { value } of recordsOf(source, coverage, { maxLength: maxDocument })) list.push(value);
    // The wrapped elements are counted, not the wrappers.
    coverage.records = records;
    return list;
  }
  const document = wholeDocument(
    source,
    coverage,
    "it is one JSON document; perhaps it was not written to its end",
  );
  return Array.isArray(document) ? document : [document];
}

/**
 * Builds the runs of groups of exchanges. Unreadable parts of a log with several runs belong to none of them.
 */
export function groupRuns<Group, Run>(
  groups: readonly Group[],
  coverage: Coverage,
  runOf: (group: Group, coverage: Coverage) => Run,
): Run[] {
  const [only] = groups;
  if (only !== undefined && groups.length === 1) return [runOf(only, coverage)];
  return groups.map((group) => {
    const own = new Coverage();
    const run = runOf(group, own);
    coverage.records += own.records;
    return run;
  });
}
