// Parses bytes that other programs wrote, with the engine's own parser. Whatever a pack cannot hold is
// replaced and counted: bytes that are not UTF-8, halves of surrogate pairs, numbers beyond a double.
// Integers keep all their digits.
import { isUtf8 } from "node:buffer";
import { CtxError } from "../base/errors.js";
import { isObject, type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";
import { JsonReader } from "../base/json/reader.js";
import type { Coverage } from "./coverage.js";
import { linesOf, maxLine, type LogSource } from "./log-source.js";

/** A manifest could not hold a deeper value. */
const deepest = 900;
/**
 * The engine needs 30 bytes of memory for a bracket: larger texts are checked for depth before they are
 * parsed.
 */
const minInspected = 1 << 20;

export interface LogRecord {
  /** The line that holds the record, from 1. */
  line: number;
  value: JsonObject;
}

/**
 * Yields the records of a log with one a line. Incomplete lines, and lines that hold no object, are counted
 * and skipped.
 */
export function* recordsOf(
  source: LogSource,
  coverage: Coverage,
  { maxLength = maxLine } = {},
): Generator<LogRecord> {
  for (const { number, bytes, size, isEnded } of linesOf(source, maxLength)) {
    if (bytes === undefined) {
      coverage.damage(number, `a record of ${size} bytes, over the limit of ${maxLength}`);
      continue;
    }
    const value = parseValue(bytes, coverage);
    if (value instanceof Error) {
      if (isEnded) coverage.damage(number, value.message);
      else coverage.endsPartly();
    } else if (isObject(value)) {
      coverage.records++;
      yield { line: number, value };
    } else coverage.damage(number, "is no JSON object");
  }
}

/** Yields the values of a log with one record a line. */
export function* valuesOf(source: LogSource, coverage: Coverage): Generator<JsonObject> {
  for (const { value } of recordsOf(source, coverage)) yield value;
}

/** Returns the value of these bytes, or an error that says why there is none. */
export function parseValue(bytes: Buffer, coverage: Coverage): JsonValue | Error {
  let text = bytes.toString("utf8");
  if (!isUtf8(bytes)) coverage.replaced += countReplaced(text, bytes);
  const tooDeep = `is nested deeper than ${deepest} levels`;
  if (bytes.length > minInspected && isTooDeep(bytes)) return new Error(tooDeep);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return new Error("is not valid JSON");
  }
  const found = inspect(value, 0);
  if (found === "too deep") return new Error(tooDeep);
  // Only an escape can produce half a surrogate pair.
  if (text.includes("\\u") && /\\u[dD][89a-fA-F]/.test(text)) value = toWellFormed(value, coverage);
  // The strict reader replaces halves as well, without counting them: they were counted above.
  if (found === "inexact") value = finite(exactly(text) ?? value, coverage);
  text = "";
  return value;
}

function countReplaced(text: string, bytes: Buffer): number {
  const before = bytes.includes("\ufffd")
    ? bytes.toString("latin1").split("\u00ef\u00bf\u00bd").length - 1
    : 0;
  return text.split("\ufffd").length - 1 - before;
}

/** Returns whether a text nests too deeply, without building any of it. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x22) isText = !isText;
    else if (isText) at += byte === 0x5c ? 1 : 0;
    // Both kinds of brackets, opened and closed.
    else if ((byte | 0x20) === 0x7b) {
      if (++depth > deepest) return true;
    } else if ((byte | 0x20) === 0x7d) depth--;
  }
  return false;
}

type Finding = "fine" | "inexact" | "too deep";

/** Returns whether a value has numbers that the engine could not hold, or nests too deeply. */
function inspect(value: JsonValue, depth: number): Finding {
  if (typeof value === "number")
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
      ? "fine"
      : "inexact";
  if (typeof value !== "object" || value === null) return "fine";
  if (depth > deepest) return "too deep";
  let found: Finding = "fine";
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    const inner = typeof item === "string" ? "fine" : inspect(item as JsonValue, depth + 1);
    if (inner === "too deep") return inner;
    if (inner !== "fine") found = inner;
  }
  return found;
}

/** Returns the value with every number beyond a double as a string. */
function finite(value: JsonValue, coverage: Coverage): JsonValue {
  if (typeof value === "number" && !Number.isFinite(value)) {
    coverage.replaced++;
    return String(value);
  }
  if (Array.isArray(value)) return value.map((item) => finite(item, coverage));
  if (value === null || !isObject(value)) return value;
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(object, key, finite(item, coverage));
  return object;
}

/**
 * Returns the value as the strict reader has it, which keeps every digit; undefined where that reader
 * refuses.
 */
function exactly(text: string): JsonValue | undefined {
  try {
    return new JsonReader(Buffer.from(text)).value();
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Returns the value with every half of a surrogate pair replaced. */
function toWellFormed(value: JsonValue, coverage: Coverage): JsonValue {
  const whole = (text: string): string => {
    if (text.isWellFormed()) return text;
    // Neither half of a pair is well-formed by itself: only a half that stands alone counts.
    coverage.replaced += text.match(/\p{Surrogate}/gu)?.length ?? 0;
    return text.toWellFormed();
  };
  if (typeof value === "string") return whole(value);
  if (Array.isArray(value)) return value.map((item) => toWellFormed(item, coverage));
  if (value === null || !isObject(value)) return value;
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(object, whole(key), toWellFormed(item, coverage));
  return object;
}
