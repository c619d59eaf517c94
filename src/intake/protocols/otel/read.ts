// Reads logs that hold spans, whatever exporter wrote them. A run is a conversation, or a trace where none is
// named.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import { listAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import type { Head } from "../../head.js";
import { isByLine } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { maxDocument, type LogSource } from "../../log-source.js";
import { spanKind } from "./kinds.js";
import { objectsOf } from "./objects.js";
import { inTimeOrder } from "./order.js";
import { spanRun, type SpanRunOptions, type Trace } from "./run.js";
import type { Span } from "./span.js";
import { isSpan, listField, spanBook } from "./spans.js";
import { wordIn } from "./values.js";

/** Returns how a log that begins with spans holds them. */
export function spansIn({ document, records }: Head): "OTLP" | "spans" | undefined {
  if (document === undefined) return undefined;
  if (isOtlp(document) || records.some(isOtlp)) return "OTLP";
  const [first] = Array.isArray(document) ? document : [document];
  if (first === undefined) return undefined;
  if (Array.isArray(document) && isOtlp(first)) return "spans";
  return isSpan(first) || isSpan(listAt(first, listField(first) ?? "")[0]) ? "spans" : undefined;
}

function isOtlp(value: JsonValue): boolean {
  return isObject(value) && Array.isArray(value["resourceSpans"]);
}

export function readSpans(source: LogSource, into: Into, options: SpanRunOptions): ExecutionLog[] {
  const traces = tracesOf(spansOf(source, into.coverage), into.coverage);
  if (traces.length === 0)
    throw new CtxError("log-unreadable", `${source.name} contains no spans of models, tools or agents`);
  return traces.map((trace) => {
    // Unreadable parts of the log belong to a run only if there is no other.
    const coverage = traces.length === 1 ? into.coverage : new Coverage();
    if (traces.length > 1) coverage.records = trace.spans.length;
    return spanRun(trace, { into, coverage }, options);
  });
}

function spansOf(source: LogSource, coverage: Coverage): Span[] {
  const book = spanBook(coverage);
  if (isByLine(source))
    for (const { value } of recordsOf(source, coverage, { maxLength: maxDocument })) {
      // Spans are counted, not lines: a line may hold many.
      coverage.records--;
      book.take(value);
    }
  else for (const value of objectsOf(source, coverage)) book.take(value);
  return inTimeOrder(book.spans(), (span) => span.start);
}

/** Groups the spans by conversation. Those that name none belong to the conversation of their trace. */
function tracesOf(spans: readonly Span[], coverage: Coverage): Trace[] {
  const named = new Map<string, string>();
  for (const span of spans) {
    const conversation = conversationOf(span);
    if (conversation !== undefined && !named.has(span.trace)) named.set(span.trace, conversation);
  }
  const traces = new Map<string, Trace>();
  for (const span of spans) {
    const session = conversationOf(span) ?? named.get(span.trace) ?? span.trace;
    const trace = traces.get(session) ?? { session, spans: [] };
    traces.set(session, trace);
    trace.spans.push(span);
  }
  return [...traces.values()].filter((trace) => {
    const isRun = trace.spans.some((span) => ["chat", "tool", "agent"].includes(spanKind(span)));
    if (!isRun)
      for (const _ of trace.spans) coverage.leaveOut("span of a trace without a model, tool or agent");
    return isRun;
  });
}

function conversationOf(span: Span): string | undefined {
  const id = wordIn(span.attributes, "gen_ai.conversation.id");
  // A session may be a browser's where the span is not about a model.
  return id ?? (spanKind(span) === "foreign" ? undefined : wordIn(span.attributes, "session.id"));
}
