// Reads logs that are one JSON document, as other programs write them: Python puts NaN and Infinity among the
// numbers, and a writer that was cut off leaves a document without its end, whose beginning is still good.
import { CtxError } from "../base/errors.js";
import type { JsonValue } from "../base/json/value.js";
import type { Coverage } from "./coverage.js";
import { partialJson } from "./head.js";
import { parseValue } from "./parse.js";
import { type LogSource, wholeOf } from "./log-source.js";

/**
 * Returns the document that a source holds; throws when it does not even begin as one. `isEnough` decides
 * whether the readable part of a broken document is worth anything.
 */
export function documentOf(
  source: LogSource,
  coverage: Coverage,
  isEnough: (value: JsonValue) => boolean = () => true,
): JsonValue {
  const bytes = wholeOf(source);
  const value = parseLoosely(bytes, coverage);
  if (!(value instanceof Error)) return value;
  const rest = partialValue(bytes.toString("utf8"), coverage);
  if (rest === undefined || rest === null || typeof rest !== "object" || !isEnough(rest))
    throw new CtxError("log-unreadable", `${source.name} ${value.message}`, {
      hint: "it should be one JSON document; perhaps it is incomplete",
    });
  coverage.endsPartly();
  coverage.addUnknown("what comes after the place where the document breaks off");
  return rest;
}

/** Returns the document that a source holds, which must be whole; throws with this hint when it is not. */
export function wholeDocument(source: LogSource, coverage: Coverage, hint?: string): JsonValue {
  const value = parseValue(wholeOf(source), coverage);
  if (!(value instanceof Error)) return value;
  const more = hint === undefined ? {} : { hint };
  throw new CtxError("log-unreadable", `${source.name} ${value.message}`, more);
}

/** Returns the value of a text up to where the text ends or breaks. */
export function partialValue(text: string, coverage: Coverage): JsonValue | undefined {
  const part = partialJson(withoutSpecials(text).text);
  // A second pass through the reader, which limits depth and replaces what a pack cannot hold.
  const value = part === undefined ? undefined : parseValue(Buffer.from(JSON.stringify(part)), coverage);
  return value instanceof Error ? undefined : value;
}

/** Parses bytes; numbers that JSON cannot express become strings, and are counted. */
export function parseLoosely(bytes: Buffer, coverage: Coverage): JsonValue | Error {
  const { replaced } = coverage;
  const value = parseValue(bytes, coverage);
  if (!(value instanceof Error) || !(bytes.includes("NaN") || bytes.includes("Infinity"))) return value;
  const { text, count } = withoutSpecials(bytes.toString("utf8"));
  if (count === 0) return value;
  coverage.replaced = replaced;
  const again = parseValue(Buffer.from(text), coverage);
  if (!(again instanceof Error)) coverage.replaced += count;
  return again;
}

/** Returns the same JSON with NaN and Infinity in quotes. */
function withoutSpecials(text: string): { text: string; count: number } {
  const parts: string[] = [];
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote === -1 ? text.length : quote);
    parts.push(
      outside.replaceAll(/-?\b(?:NaN|Infinity)\b/g, (word) => {
        count++;
        return `"${word}"`;
      }),
    );
    at = quote === -1 ? text.length : closing(text, quote) + 1;
    if (quote !== -1) parts.push(text.slice(quote, at));
  }
  return { text: parts.join(""), count };
}

/** Returns where the string ends that begins at a quote. */
function closing(text: string, quote: number): number {
  for (let at = quote; ; ) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length - 1;
    let from = at;
    while (text[from - 1] === "\\") from--;
    if ((at - from) % 2 === 0) return at;
  }
}
