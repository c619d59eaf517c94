// Spans that follow OpenInference, as its instrumentations send them, and as Arize Phoenix exports them.
import type { Fit, Format } from "../../format.js";
import type { Head } from "../../head.js";
import { openInferenceSigns } from "../../protocols/otel/dialects/openinference.js";
import { readSpans, spansIn } from "../../protocols/otel/read.js";

export const openinference: Format = {
  name: "openinference",
  title: "OpenInference spans",
  from: "programs with OpenInference instrumentation, and exports of Arize Phoenix",
  sniff,
  read: (source, into) => readSpans(source, into, { format: "openinference" }),
};

function sniff(head: Head): Fit {
  if (spansIn(head) === undefined) return { near: 0, missing: "it has no spans" };
  return openInferenceSigns.test(head.text)
    ? true
    : { near: 0.5, missing: "its spans have no span kind of OpenInference" };
}
