// A log that is one document: all of it, or as much as was written.
import { CtxError } from "../base/errors.js";
import type { JsonValue } from "../base/json.js";
import type { Coverage } from "./coverage.js";
import { partialJson } from "./head.js";
import { parseValue } from "./parse.js";
import { type Source, wholeOf } from "./source.js";

/** The value; of one that is cut off or broken, what stands before that. Throws when that is nothing. */
export function documentOf(source: Source, coverage: Coverage): JsonValue {
  const bytes = wholeOf(source);
  const value = parseValue(bytes, coverage);
  if (!(value instanceof Error)) return value;
  const rest = partialValue(bytes.toString("utf8"), coverage);
  if (rest === undefined) throw new CtxError("log-unreadable", `${source.name} ${value.message}`);
  coverage.endsPartly();
  return rest;
}

/** What a text holds until it ends or breaks, made good as whole values are. */
export function partialValue(text: string, coverage: Coverage): JsonValue | undefined {
  const part = partialJson(text);
  const value = part === undefined ? undefined : parseValue(Buffer.from(JSON.stringify(part)), coverage);
  return value instanceof Error ? undefined : value;
}
