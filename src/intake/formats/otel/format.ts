// OpenTelemetry spans that follow the GenAI conventions, old or new, or those of the AI SDK: OTLP as JSON,
// dumps of span objects, and the output of console exporters.
import type { Fit, Format } from "../../format.js";
import type { Head } from "../../head.js";
import { openInferenceSigns } from "../../protocols/otel/dialects/openinference.js";
import { readSpans, spansIn } from "../../protocols/otel/read.js";

export const otel: Format = {
  name: "otel",
  title: "OpenTelemetry GenAI spans",
  from: "programs with GenAI instrumentation: OTLP/JSON files, console exporters, any-agent traces, Vercel AI SDK telemetry",
  sniff,
  read: (source, into) => readSpans(source, into, { format: "otel" }),
};

/** Attributes that identify spans of agents, whatever wrote them. */
const signs = /"(?:gen_ai\.|traceloop\.|mcp\.method\.name|llm\.request\.|ai\.operationId)/;

function sniff(head: Head): Fit {
  if (head.document === undefined) return { near: 0, missing: "it does not start with JSON" };
  const held = spansIn(head);
  if (held === undefined) return { near: 0, missing: "it has no spans" };
  if (openInferenceSigns.test(head.text))
    return { near: 0.7, missing: "its spans have OpenInference, not GenAI, attributes" };
  if (signs.test(head.text) || (held === "OTLP" && !head.isWhole)) return true;
  return { near: 0.7, missing: "its spans have no GenAI attributes" };
}
