// Converts OpenTelemetry log records to one form, whatever wrote them: OTLP, an SDK's file or console
// exporter, or flattened rows.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { idAt, isSpan, nanoseconds } from "../../protocols/otel/spans.js";
import { anyValue, attributesOf, wordIn } from "../../protocols/otel/values.js";
import { timeOf } from "../../times.js";

export interface LogEvent {
  /** Without the name of the agent. */
  name: string;
  /** The agent's name in the tool table; undefined for events of the conventions. */
  agent: string | undefined;
  time: string | undefined;
  attributes: JsonObject;
  body: JsonValue;
  resource: JsonObject;
  /** The span that it belongs to. */
  span: string | undefined;
  trace: string | undefined;
}

/** The prefixes of agents' event names. */
const agents = new Map([
  ["claude_code", "claude-code"],
  ["gemini_cli", "gemini-cli"],
  ["qwen-code", "qwen-code"],
  ["codex", "codex"],
]);

/** Service names of agents, for events without a prefix. */
const services = new Map([
  ["claude-code", "claude-code"],
  ["com.anthropic.claude_code", "claude-code"],
  ["com.anthropic.claude_code.events", "claude-code"],
  ["claude-code-otel-plugin", "claude-code"],
  ["gemini-cli", "gemini-cli"],
  ["qwen-code", "qwen-code"],
]);

/** Returns whether an object is something that OpenTelemetry writes and that is no span. */
export function isCarrier(value: JsonValue | undefined): value is JsonObject {
  if (value === undefined || value === null || !isObject(value) || isSpan(value)) return false;
  if (["resourceLogs", "resourceMetrics"].some((field) => Array.isArray(value[field]))) return true;
  if (isFlattened(value)) return true;
  if (Array.isArray(value["scopeMetrics"]) || isObject(value["_spanContext"] ?? null)) return true;
  const held = value["attributes"];
  if (held === undefined || held === null || typeof held !== "object") return false;
  const signs = ["hrTime", "body", "_body", "event_name", "eventName", "severity_number", "severityNumber"];
  return signs.some((field) => field in value) || wordIn(attributesOf(held), "event.name") !== undefined;
}

/** Returns whether an object is a row with short names for the fields. */
function isFlattened(value: JsonObject): boolean {
  return /^(?:log|metric|span)$/.test(textAt(value, "_type") ?? "") && objectAt(value, "attrs") !== undefined;
}

/** Returns the events of an object. Anything else in it is counted. */
export function eventsIn(value: JsonObject, coverage: Coverage): LogEvent[] {
  const found: LogEvent[] = [];
  const add = (record: JsonValue, around: EventContext): void => {
    coverage.records++;
    const event = eventOf(record, around, coverage);
    if (event === undefined) coverage.skip("log record without a name");
    else found.push(event);
  };
  for (const group of listAt(value, "resourceLogs")) {
    const resource = attributesOf(valueAt(group, "resource", "attributes"));
    for (const scoped of listAt(group, "scopeLogs"))
      for (const record of listAt(scoped, "logRecords"))
        add(record, { resource, scope: wordAt(scoped, "scope", "name") });
  }
  for (const [field, kind] of [
    ["resourceMetrics", "metrics"],
    ["scopeMetrics", "metrics"],
    ["resourceSpans", "spans"],
  ] as const)
    if (Array.isArray(value[field])) coverage.leaveOut(kind);
  if (["resourceLogs", "resourceMetrics", "scopeMetrics", "resourceSpans"].some((field) => field in value))
    return found;
  if (isSpan(value) || "_spanContext" in value) coverage.leaveOut("spans");
  else if (isFlattened(value)) {
    const resource = attributesOf(valueAt(value, "resource"));
    if (textAt(value, "_type") === "log") add(flattened(value), { resource, scope: wordAt(value, "scope") });
    else coverage.leaveOut(`${textAt(value, "_type") ?? ""}s`);
  } else if (isCarrier(value)) {
    const own = valueAt(value, "resource", "attributes") ?? valueAt(value, "resource", "_attributes");
    const scope = wordAt(value, "instrumentationScope", "name");
    add(value, { resource: { ...rawAttributes(value), ...attributesOf(own) }, scope });
  } else {
    coverage.records++;
    coverage.skip("object that is no log record");
  }
  return found;
}

/** Returns the raw attributes: resources of newer SDKs have pairs. */
function rawAttributes(value: JsonObject): JsonObject {
  const pairs = listAt(value, "resource", "_rawAttributes").filter(
    (pair): pair is [string, JsonValue] => Array.isArray(pair) && typeof pair[0] === "string",
  );
  return attributesOf(pairs.map(([key, held]) => ({ key, value: held })));
}

/** Converts a row to a log record. */
function flattened(row: JsonObject): JsonObject {
  return {
    timestamp: row["ts"] ?? null,
    body: row["body"] ?? null,
    attributes: row["attrs"] ?? null,
    event_name: textAt(row, "attrs", "event_type") ?? row["name"] ?? null,
  };
}

interface EventContext {
  resource: JsonObject;
  scope: string | undefined;
}

function eventOf(
  record: JsonValue,
  { resource, scope }: EventContext,
  coverage: Coverage,
): LogEvent | undefined {
  const attributes = attributesOf(valueAt(record, "attributes"));
  const body = anyValue(valueAt(record, "body") ?? valueAt(record, "_body"));
  const called = [
    wordAt(record, "eventName"),
    wordAt(record, "event_name"),
    wordAt(record, "_eventName"),
    wordIn(attributes, "event.name"),
    typeof body === "string" && /^[\w-]{1,60}\.[\w.]{1,100}$/.test(body) ? body : undefined,
  ].filter((word) => word !== undefined);
  const [, prefix, rest] =
    called
      .map((word) => /^([a-z_-]{1,20})\.(.+)$/.exec(word))
      .find((match) => agents.has(match?.[1] ?? "")) ?? [];
  const service = wordIn(resource, "service.name") ?? "";
  const [name] = rest === undefined ? called : [rest];
  if (name === undefined) return undefined;
  const isConvention = name.startsWith("gen_ai.");
  const known = agents.get(prefix ?? "") ?? services.get(scope ?? "") ?? services.get(service);
  return {
    name,
    agent: isConvention && prefix === undefined && known !== "gemini-cli" ? undefined : known,
    time: timeIn(record, attributes, coverage),
    attributes,
    body,
    resource,
    span: idAt(record, "spanId") ?? idAt(record, "span_id") ?? idAt(record, "spanContext", "spanId"),
    trace: idAt(record, "traceId") ?? idAt(record, "trace_id") ?? idAt(record, "spanContext", "traceId"),
  };
}

function timeIn(record: JsonValue, attributes: JsonObject, coverage: Coverage): string | undefined {
  const keys = ["timeUnixNano", "hrTime", "timestamp", "observedTimeUnixNano", "observed_timestamp"];
  const held = [...keys.map((key) => valueAt(record, key)), attributes["event.timestamp"]].find(
    (value) => value !== undefined && value !== null && value !== 0 && value !== "0",
  );
  return timeOf(Array.isArray(held) ? nanoseconds(held) : held, coverage);
}
