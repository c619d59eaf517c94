// The schemas of what is printed about agents' logs: the formats, and the sessions that were found.
import { nullable, result } from "./result-shape.js";
import type { FormatResult, FoundSession } from "./results.js";
import { count, list, oneOf, reference, required, text, utcTime } from "./shape.js";

export const formatResult = result<FormatResult>({
  name: required(text()),
  title: required(text()),
  from: required(text()),
});

export const foundSession = result<FoundSession>({
  agent: required(text()),
  path: required(text()),
  project: required(nullable(text())),
  model: required(nullable(text())),
  session: required(nullable(text())),
  modified: required(utcTime),
  size: required(count),
  state: required(oneOf("new", "packed", "changed", "removed", "empty")),
  packs: required(list(reference)),
});
