// A log that is one JSON document. What was cut off while it was written is read as far as it goes.
import { CtxError } from "../base/errors.js";
import type { JsonValue } from "../base/json.js";
import type { Coverage } from "./coverage.js";
import { partialJson } from "./head.js";
import { parseValue } from "./parse.js";
import { type Source, wholeOf } from "./source.js";

/** The value; `isEnough` says whether what could be read of a broken one is worth anything. */
export function documentOf(
  source: Source,
  coverage: Coverage,
  isEnough: (value: JsonValue) => boolean,
): JsonValue {
  const bytes = wholeOf(source);
  const value = parseValue(bytes, coverage);
  if (!(value instanceof Error)) return value;
  const part = partialJson(bytes.toString("utf8"));
  // Once more through the parser, which replaces what no pack can hold.
  const clean = part === undefined ? undefined : parseValue(Buffer.from(JSON.stringify(part)), coverage);
  if (clean === undefined || clean instanceof Error || !isEnough(clean))
    throw new CtxError("log-unreadable", `${source.name} ${value.message}`, {
      hint: "it should be one JSON document; perhaps it was not written to its end",
    });
  coverage.endsPartly();
  return clean;
}
