// Converts requests and answers that events hold as the provider's own JSON: Gemini's contents, and requests
// and responses of Anthropic's.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { parsedText } from "../../protocols/openai-chat/calls.js";
import type { Coverage } from "../../coverage.js";
import { flagAt, defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";

/** Parses a text, if it is the JSON of an object or a list. */
export function bodyOf(text: string | undefined, coverage: Coverage): JsonValue | undefined {
  const held = text === undefined ? undefined : parsedText(text, coverage);
  return held !== undefined && held !== null && typeof held === "object" ? held : undefined;
}

/** Returns the answer of Gemini, which may come in chunks, as a message. */
export function geminiAnswer(body: JsonValue | undefined): JsonValue[] {
  const pieces = Array.isArray(body) ? body : body === undefined ? [] : [body];
  const parts = pieces.flatMap((piece) => listAt(listAt(piece, "candidates")[0], "content", "parts"));
  return parts.length === 0 ? [] : [{ role: "assistant", parts: joined(parts.map(geminiPart)) }];
}

/** Joins adjacent texts: they are chunks of a stream. */
function joined(parts: readonly JsonObject[]): JsonObject[] {
  const whole: JsonObject[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (last !== undefined && last["type"] === part["type"] && typeof part["content"] === "string")
      last["content"] = `${textAt(last, "content") ?? ""}${part["content"]}`;
    else whole.push({ ...part });
  }
  return whole;
}

function geminiPart(part: JsonValue): JsonObject {
  const call = objectAt(part, "functionCall");
  if (call !== undefined)
    return defined({ type: "tool_call", id: call["id"], name: call["name"], arguments: call["args"] });
  const text = textAt(part, "text");
  if (text === undefined) return { type: isObject(part) ? (Object.keys(part)[0] ?? "unknown") : "unknown" };
  return { type: flagAt(part, "thought") ? "reasoning" : "text", content: text };
}

/** Converts Gemini CLI's messages: the model has the role of the system, and results are wrapped. */
export function geminiMessages(messages: JsonValue | undefined, coverage: Coverage): JsonValue[] {
  return (Array.isArray(messages) ? messages : []).map((message) => {
    if (!isObject(message)) return message;
    const parts = listAt(message, "parts").map((part) => unwrapped(part, coverage));
    return {
      ...message,
      role: message["role"] === "system" ? "assistant" : (message["role"] ?? null),
      parts,
    };
  });
}

function unwrapped(part: JsonValue, coverage: Coverage): JsonValue {
  if (!isObject(part) || part["type"] !== "tool_call_response") return part;
  const text = textAt(part, "response");
  const held = text === undefined ? valueAt(part, "response") : parsedText(text, coverage);
  const output = textAt(held, "output");
  const error = textAt(held, "error");
  if (output !== undefined) return { ...part, response: output };
  return error === undefined ? part : { ...part, response: error, status: "error" };
}

/** Returns the messages of a request, with those texts marked that no person typed. */
export function markedMessages(messages: readonly JsonValue[], typed: ReadonlySet<string>): JsonValue[] {
  if (typed.size === 0) return [...messages];
  return messages.flatMap((message) => {
    if (textAt(message, "role") !== "user") return [message];
    const held = valueAt(message, "parts") ?? valueAt(message, "content") ?? "";
    const parts = Array.isArray(held) ? held : [{ type: "text", text: held }];
    return parts.map((part) => {
      const isText = typeof part === "string" || (textAt(part, "type") ?? "text") === "text";
      const text = typeof part === "string" ? part : (wordAt(part, "content") ?? wordAt(part, "text"));
      const isTyped = !isText || text === undefined || typed.has(text.trim());
      return { role: isTyped ? "user" : "injected", parts: [part] };
    });
  });
}
