// Converts spans to one form, whichever exporter wrote them: OTLP, the SDKs' consoles, or a dump of span
// objects. A span that was written twice, once at its start and once at its end, becomes one.
import { ExactInteger, isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { listAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { timeOf } from "../../times.js";
import { fromAiSdk, isAiSdk } from "./dialects/ai-sdk.js";
import { fromOpenInference, isOpenInference, isOpenInferenceKind } from "./dialects/openinference.js";
import type { Span, SpanEvent } from "./span.js";
import { anyValue, attributesOf, wordIn } from "./values.js";

export interface SpanBook {
  /** Reads all spans of an object. */
  take(record: JsonObject): void;
  /** Returns the spans in the order in which they were first written. */
  spans(): Span[];
}

export function spanBook(coverage: Coverage): SpanBook {
  const spans = new Map<string, Span>();
  /** Log records name the span that they belong to, which may come later. */
  const logged: { span: string; event: SpanEvent }[] = [];
  const add = (value: JsonValue, resource: JsonObject): void => {
    coverage.records++;
    const span = spanOf(value, resource, coverage);
    if (span === undefined) {
      coverage.skip("object that is no span");
      return;
    }
    const key = `${span.trace} ${span.id}`;
    const known = spans.get(key);
    if (known === undefined) {
      spans.set(key, span);
      return;
    }
    coverage.duplicates++;
    merge(known, span);
  };
  return {
    take(record) {
      const isKnown = ["resourceSpans", "resourceLogs"].some((field) => Array.isArray(record[field]));
      for (const group of listAt(record, "resourceSpans")) {
        const resource = attributesOf(valueAt(group, "resource", "attributes"));
        for (const scope of [...listAt(group, "scopeSpans"), ...listAt(group, "instrumentationLibrarySpans")])
          for (const span of listAt(scope, "spans")) add(span, resource);
      }
      for (const group of listAt(record, "resourceLogs")) {
        for (const scope of listAt(group, "scopeLogs"))
          for (const log of listAt(scope, "logRecords")) {
            const event = loggedEvent(log);
            if (event === undefined) coverage.leaveOut("log record without a span");
            else logged.push(event);
          }
      }
      if (Array.isArray(record["resourceMetrics"])) coverage.leaveOut("metrics");
      else if (listField(record) !== undefined) {
        const list = listField(record) as string;
        for (const span of listAt(record, list)) add(span, {});
        for (const field of Object.keys(record)) if (field !== list) coverage.leaveOut(`field ${field}`);
      } else if (!isKnown) add(record, {});
    },
    spans() {
      for (const { span, event } of logged.splice(0)) {
        const owner = spans.get(span);
        if (owner === undefined) coverage.skip(`log record ${event.name}`);
        else owner.events.push(event);
      }
      return [...spans.values()].map((span) => inCommonWords(span, coverage));
    },
  };
}

/** Returns the field of an object that is a list of spans. */
export function listField(record: JsonValue): string | undefined {
  if (Array.isArray(valueAt(record, "spans"))) return "spans";
  // A page of Phoenix's API.
  return isSpan(listAt(record, "data")[0]) ? "data" : undefined;
}

/** Returns whether an object looks like a span, in any of the supported forms. */
export function isSpan(value: JsonValue | undefined): boolean {
  return (
    value !== undefined &&
    isObject(value) &&
    idOfSpan(value) !== undefined &&
    textAt(value, "name") !== undefined
  );
}

function idOfSpan(value: JsonValue): string | undefined {
  const id = firstId(
    value,
    ["spanId"],
    ["span_id"],
    ["context", "span_id"],
    ["context", "spanId"],
    ["context.span_id"],
  );
  // The console exporter of Node's SDK calls it only "id".
  return id ?? (idAt(value, "traceId") === undefined ? undefined : idAt(value, "id"));
}

function spanOf(value: JsonValue, resource: JsonObject, coverage: Coverage): Span | undefined {
  const id = idOfSpan(value);
  if (id === undefined) return undefined;
  const code = [["status", "code"], ["status", "status_code"], ["status_code"]]
    // oxlint-disable-next-line ctx/no-spread-call -- one or two names
    .map((path) => valueAt(value, ...path))
    .find((each) => each !== undefined);
  const attributes = rowAttributes(value);
  const timeAt = (...names: readonly string[]): string | undefined => {
    const found = names
      .map((name) => valueAt(value, name))
      .find((time) => time !== undefined && time !== null);
    return timeOf(Array.isArray(found) ? nanoseconds(found) : found, coverage);
  };
  const own = attributesOf(valueAt(value, "resource", "attributes"));
  return {
    id,
    trace:
      firstId(
        value,
        ["traceId"],
        ["trace_id"],
        ["context", "trace_id"],
        ["context", "traceId"],
        ["context.trace_id"],
      ) ?? "",
    parent: parentOf(value),
    name: textAt(value, "name") ?? "",
    start: timeAt("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "timestamp"),
    end: timeAt("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"),
    hasFailed:
      code === 2 ||
      (typeof code === "string" && /^(?:STATUS_CODE_)?ERROR$/i.test(code)) ||
      "error.type" in attributes,
    failure:
      textAt(value, "status", "message") ??
      textAt(value, "status", "description") ??
      wordAt(value, "status_message"),
    attributes,
    events: listAt(value, "events").map((event) => ({
      name: textAt(event, "name") ?? "",
      attributes: attributesOf(valueAt(event, "attributes")),
    })),
    resource: Object.keys(own).length > 0 ? own : resource,
  };
}

/** Returns the attributes of a span, also where they are columns of a table, as Phoenix exports them. */
function rowAttributes(value: JsonValue): JsonObject {
  const attributes = attributesOf(valueAt(value, "attributes"));
  if (!isObject(value)) return attributes;
  for (const [key, item] of Object.entries(value))
    if (key.startsWith("attributes.") && item !== null)
      setOwn(attributes, key.slice("attributes.".length), item);
  const kind = textAt(value, "span_kind");
  if (isOpenInferenceKind(kind) && !isOpenInference(attributes))
    attributes["openinference.span.kind"] = kind as string;
  return attributes;
}

/** Converts a span of any dialect to the words of the GenAI conventions. */
function inCommonWords(span: Span, coverage: Coverage): Span {
  if (isOpenInference(span.attributes)) return fromOpenInference(span, coverage);
  return isAiSdk(span.attributes) ? fromAiSdk(span, coverage) : span;
}

function parentOf(value: JsonValue): string | undefined {
  return firstId(
    value,
    ["parentSpanId"],
    ["parent_span_id"],
    ["parent_id"],
    ["parentId"],
    ["parent", "span_id"],
    ["parentSpanContext", "spanId"],
  );
}

function firstId(value: JsonValue, ...paths: readonly string[][]): string | undefined {
  for (const path of paths) {
    // oxlint-disable-next-line ctx/no-spread-call -- one or two names
    const id = idAt(value, ...path);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Returns an id: hex digits, or an integer that may exceed 2^53. All zeros count as missing. */
export function idAt(value: JsonValue, ...path: readonly string[]): string | undefined {
  const id = valueAt(value, ...path);
  if (id instanceof ExactInteger) return id.digits;
  const text = typeof id === "number" ? String(id) : typeof id === "string" ? id.replace(/^0x/i, "") : "";
  return /^0*$/.test(text) ? undefined : text;
}

/** Converts seconds and nanoseconds, as Node's SDK has them. */
export function nanoseconds(pair: readonly JsonValue[]): string | undefined {
  const [seconds, rest] = pair;
  if (typeof seconds !== "number" || typeof rest !== "number") return undefined;
  return `${seconds}${String(rest).padStart(9, "0")}`;
}

function loggedEvent(log: JsonValue): { span: string; event: SpanEvent } | undefined {
  const [trace, id] = [idAt(log, "traceId"), idAt(log, "spanId")];
  const attributes = attributesOf(valueAt(log, "attributes"));
  const name = textAt(log, "eventName") ?? wordIn(attributes, "event.name");
  if (trace === undefined || id === undefined || name === undefined) return undefined;
  const body = anyValue(valueAt(log, "body"));
  return {
    span: `${trace} ${id}`,
    event: { name, attributes: { ...attributes, ...(isObject(body) ? body : {}) } },
  };
}

/** Merges two records of a span: later values take precedence, and missing ones change nothing. */
function merge(known: Span, later: Span): void {
  known.parent = later.parent ?? known.parent;
  known.name = later.name === "" ? known.name : later.name;
  known.start = later.start ?? known.start;
  known.end = later.end ?? known.end;
  known.hasFailed ||= later.hasFailed;
  known.failure = later.failure ?? known.failure;
  for (const [key, value] of Object.entries(later.attributes)) setOwn(known.attributes, key, value);
  if (later.events.length > 0) known.events = later.events;
  if (Object.keys(later.resource).length > 0) known.resource = later.resource;
}
