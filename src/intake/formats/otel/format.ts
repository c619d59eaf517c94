// OpenTelemetry spans that follow the GenAI conventions, old or new: OTLP as JSON, dumps of span objects, and what console
// exporters print. A run is a conversation, or a trace where none is named.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonValue } from "../../../base/json.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import { listAt } from "../../fields.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { longestDocument, type Source } from "../../source.js";
import { isByLine } from "../../layout.js";
import { kindOf } from "../../spans/kinds.js";
import { objectsOf } from "../../spans/objects.js";
import { inTimeOrder } from "../../spans/order.js";
import { spanRun, type Trace } from "../../spans/run.js";
import { isSpan, type Span, spanBook } from "../../spans/spans.js";
import { wordIn } from "../../spans/values.js";

export const otel: Format = {
  name: "otel",
  title: "OpenTelemetry GenAI spans",
  from: "programs with GenAI instrumentation: OTLP/JSON files, console exporters, any-agent traces",
  sniff,
  read(source, into) {
    const traces = tracesOf(spansOf(source, into.coverage));
    if (traces.length === 0)
      throw new CtxError("log-unreadable", `${source.name} holds no spans of models, tools or agents`);
    return traces.map((trace) => runOf(trace, into, traces.length === 1));
  },
};

/** Attributes by which spans of agents are known, whatever wrote them. */
const signs = /"(?:gen_ai\.|traceloop\.|mcp\.method\.name|llm\.request\.)/;

function sniff({ document, text, isWhole }: Head): Fit {
  if (document === undefined) return { near: 0, lacks: "it does not begin with JSON" };
  const isOtlp = isObject(document) && Array.isArray(document["resourceSpans"]);
  if (!isOtlp && !holdsSpans(document)) return { near: 0, lacks: "it has no spans" };
  if (signs.test(text) || (isOtlp && !isWhole)) return true;
  const why = text.includes('"openinference.')
    ? "OpenInference, not GenAI, attributes"
    : "no GenAI attributes";
  return { near: 0.7, lacks: `its spans have ${why}` };
}

function holdsSpans(document: JsonValue): boolean {
  if (Array.isArray(document)) return isSpan(document[0]) || listAt(document[0], "resourceSpans").length > 0;
  return isSpan(document) || isSpan(listAt(document, "spans")[0]);
}

function spansOf(source: Source, coverage: Coverage): Span[] {
  const book = spanBook(coverage);
  if (isByLine(source))
    for (const { value } of recordsOf(source, coverage, { longest: longestDocument })) {
      // A line may hold many spans, which are what counts.
      coverage.records--;
      book.take(value);
    }
  else for (const value of objectsOf(source, coverage)) book.take(value);
  return inTimeOrder(book.spans(), (span) => span.start);
}

/** The spans by conversation. Those that name none belong to the one of their trace. */
function tracesOf(spans: readonly Span[]): Trace[] {
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
  return [...traces.values()].filter((trace) =>
    trace.spans.some((span) => ["chat", "tool", "agent"].includes(kindOf(span))),
  );
}

function conversationOf(span: Span): string | undefined {
  const id = wordIn(span.attributes, "gen_ai.conversation.id");
  // A session may be that of a browser where the span is not about a model.
  return id ?? (kindOf(span) === "foreign" ? undefined : wordIn(span.attributes, "session.id"));
}

/** What could not be read of the log belongs to a run only if there is no other. */
function runOf(trace: Trace, into: Into, isOnly: boolean): ExecutionLog {
  if (isOnly) return spanRun(trace, { into, coverage: into.coverage }, { format: "otel" });
  const coverage = new Coverage();
  coverage.records = trace.spans.length;
  return spanRun(trace, { into, coverage }, { format: "otel" });
}
