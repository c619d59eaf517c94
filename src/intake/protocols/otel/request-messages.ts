// Reads the messages of one request to a model, from any of the many places where instrumentations put them:
// attributes of the current conventions, events, numbered attributes, or one text.
import { isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { valueAt } from "../../json-access.js";
import { parsedText } from "../openai-chat/calls.js";
import { type SpanMessage, messageOf, messagesIn, partsIn } from "./parts.js";
import type { Span, SpanEvent } from "./span.js";
import { firstOf } from "./values.js";

export interface RequestMessages {
  /** All input of the model; system instructions first. */
  input: SpanMessage[];
  output: SpanMessage[];
}

/** An event that holds what are otherwise attributes. */
const detailsEvent = "gen_ai.client.inference.operation.details";

export function requestMessages(span: Span, coverage: Coverage): RequestMessages {
  const attributes = { ...span.attributes };
  for (const { name, attributes: more } of span.events)
    if (name === detailsEvent || /^gen_ai\.content\.(?:prompt|completion)$/.test(name))
      Object.assign(attributes, more);
  const system = partsIn(attributes["gen_ai.system_instructions"], coverage);
  const input = firstNonEmpty(
    () => messagesIn(firstOf(attributes, "gen_ai.input.messages", "gen_ai.prompt"), "user", coverage),
    () => numbered(attributes, /^(?:gen_ai\.prompt|llm\.prompts)\.(\d{1,6})\.(.+)$/, "user", coverage),
    () => eventMessages(span.events, /^gen_ai\.(system|user|assistant|tool)\.message$/, coverage),
  );
  const output = firstNonEmpty(
    () =>
      messagesIn(firstOf(attributes, "gen_ai.output.messages", "gen_ai.completion"), "assistant", coverage),
    () =>
      numbered(
        attributes,
        /^(?:gen_ai\.completion|llm\.completions)\.(\d{1,6})\.(.+)$/,
        "assistant",
        coverage,
      ),
    () => eventMessages(span.events, /^gen_ai\.(choice)$/, coverage),
    () => messagesIn(attributes["gen_ai.output"], "assistant", coverage),
  );
  return { input: system.length === 0 ? input : [{ role: "system", parts: system }, ...input], output };
}

function firstNonEmpty(...readers: readonly (() => SpanMessage[])[]): SpanMessage[] {
  for (const read of readers) {
    const messages = read();
    if (messages.length > 0) return messages;
  }
  return [];
}

/** Parses messages whose fields are numbered attributes: `gen_ai.prompt.0.tool_calls.1.name`. */
function numbered(attributes: JsonObject, pattern: RegExp, role: string, coverage: Coverage): SpanMessage[] {
  const found = new Map<number, JsonObject>();
  const calls = new Map<JsonObject, Map<string, JsonObject>>();
  for (const [key, value] of Object.entries(attributes)) {
    const [, number, field = ""] = pattern.exec(key) ?? [];
    if (number === undefined) continue;
    const message = found.get(Number(number)) ?? {};
    found.set(Number(number), message);
    const [, index, name = ""] = /^tool_calls\.(\d{1,6})\.(?:function\.)?(.+)$/.exec(field) ?? [];
    if (index === undefined)
      setOwn(message, field, field === "content" ? parseParts(value, coverage) : value);
    else {
      const own = calls.get(message) ?? new Map<string, JsonObject>();
      calls.set(message, own);
      const call = own.get(index) ?? {};
      own.set(index, call);
      setOwn(call, name, value);
    }
  }
  for (const [message, own] of calls)
    message["tool_calls"] = [...listOf(message["tool_calls"]), ...own.values()];
  return [...found].sort(([a], [b]) => a - b).map(([, message]) => messageOf(message, role, coverage));
}

/** Parses messages that are events of the span. */
function eventMessages(events: readonly SpanEvent[], pattern: RegExp, coverage: Coverage): SpanMessage[] {
  return events.flatMap(({ name, attributes }) => {
    const role = pattern.exec(name)?.[1];
    if (role === undefined) return [];
    const held = attributes["message"];
    const inner = typeof held === "string" ? (parsedText(held, coverage) ?? held) : held;
    const message = isObject(inner ?? null) ? (inner as JsonObject) : attributes;
    const content = message === attributes && typeof inner === "string" ? inner : valueAt(message, "content");
    return [
      messageOf(
        // The event's name states the role; its body may name the model's own.
        {
          ...message,
          content: parseParts(content ?? null, coverage),
          role: role === "choice" ? "assistant" : role,
        },
        "assistant",
        coverage,
      ),
    ];
  });
}

/** Parses a content that is a list of parts, serialised as text. */
function parseParts(content: JsonValue, coverage: Coverage): JsonValue {
  if (typeof content !== "string" || !/^\s*\[\s*\{/.test(content)) return content;
  const held = parsedText(content, coverage);
  const isParts =
    Array.isArray(held) && held.every((part) => isObject(part) && typeof part["type"] === "string");
  return isParts ? held : content;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
