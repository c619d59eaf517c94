// Reads captures of streamed answers: server-sent events with their `event:` and `data:` lines, or only the
// data, one a line.
import { isObject, type JsonObject } from "../base/json/value.js";
import type { Coverage } from "./coverage.js";
import { textAt } from "./json-access.js";
import { type Head, partialJson } from "./head.js";
import { parseValue } from "./parse.js";
import { linesOf, type LogSource, sourceOf } from "./log-source.js";

/** Lines without data: names of events, ids, comments. */
const bare = /^(?:(?:event|id|retry)(?::|$)|:)/;
const data = /^data: ?/;

export function* eventsOf(source: LogSource, coverage: Coverage): Generator<JsonObject> {
  for (const { number, bytes, isEnded, size } of linesOf(source)) {
    if (bytes === undefined) {
      coverage.damage(number, `an event of ${size} bytes, over the limit`);
      continue;
    }
    const start = bytes.toString("latin1", 0, 6);
    if (bare.test(start)) continue;
    const from = data.exec(start)?.[0].length ?? 0;
    if (bytes.equals(done) || bytes.length === from) continue;
    const value = parseValue(bytes.subarray(from), coverage);
    if (value instanceof Error) {
      if (isEnded) coverage.damage(number, value.message);
      else coverage.endsPartly();
    } else if (isObject(value)) {
      coverage.records++;
      yield value;
    } else coverage.damage(number, "is no JSON object");
  }
}

const done = Buffer.from("data: [DONE]");

/** Assembles messages from the events of a stream. */
interface Assembler<T> {
  /** Reads an event, and returns the messages that it completes. */
  take(event: JsonObject): T[];
  /** Returns the messages that are incomplete at the end. */
  finish(): T[];
}

/** Yields the messages that events add up to, the incomplete ones at the end. */
export function* assembled<T>(events: Iterable<JsonObject>, assembler: Assembler<T>): Generator<T> {
  for (const event of events) yield* assembler.take(event);
  yield* assembler.finish();
}

/** Returns the events of a capture that is a string in another log. */
export function eventsIn(text: string, coverage: Coverage): JsonObject[] {
  return [...eventsOf(sourceOf([Buffer.from(text)], { name: "events" }), coverage)];
}

/** Returns whether a text is a capture with `event:` or `data:` lines. */
export function isEventText(text: string): boolean {
  return /^\s*(?:(?:event|data|id|retry):|: )/.test(text);
}

/** Returns the types of the first events, if this may be a capture. */
export function eventTypes({ text, records }: Head): string[] {
  if (!isEventText(text)) return records.map((record) => textAt(record, "type") ?? "");
  const lines = text.slice(0, 1 << 16).split("\n");
  return lines.flatMap((line) => {
    if (!data.test(line)) return [];
    return textAt(partialJson(line.replace(data, "")), "type") ?? [];
  });
}
