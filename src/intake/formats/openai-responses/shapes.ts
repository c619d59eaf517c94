// Recognises requests, responses and items of the Responses API.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { type Exchange, exchangeIn } from "../../request-pairs.js";
import { objectAt, textAt, valueAt } from "../../json-access.js";
import { isEventText } from "../../sse.js";
import { itemTypes } from "./reader.js";

export function exchangeOf(record: JsonObject, coverage?: Coverage): Exchange | undefined {
  return exchangeIn(record, { isRequest, isResponse, isStream: isResponseStream }, coverage);
}

export function isResponse(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isObject(value) && value["object"] === "response";
}

/** Fields that, of all requests with an input, only those for responses have. */
const requestFields =
  "instructions previous_response_id reasoning max_output_tokens store include text truncation tools conversation".split(
    " ",
  );

/** Returns whether a value is a request: those for embeddings and moderations have an input, too. */
function isRequest(value: JsonObject): boolean {
  const input = value["input"];
  if (isResponse(value)) return false;
  if (typeof input === "string")
    return requestFields.some((name) => Object.hasOwn(value, name)) && isOfModel(value);
  return Array.isArray(input) && input.length > 0 && input.every(isItem) && !Object.hasOwn(value, "messages");
}

function isOfModel(value: JsonObject): boolean {
  return textAt(value, "model") !== undefined || objectAt(value, "prompt") !== undefined;
}

/** Part types that only other formats' messages have. */
const othersParts =
  /^(?:tool_use|tool_result|thinking|redacted_thinking|server_tool_use|mcp_tool_use|image_url|tool-call|tool-result)$/;

/** Returns whether a value may be an item: one of a known type, or a message. */
export function isItem(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const type = textAt(value, "type");
  if (type !== undefined && type !== "message") return itemTypes.has(type);
  const content = value["content"];
  if (
    textAt(value, "role") === undefined ||
    Object.hasOwn(value, "tool_calls") ||
    Object.hasOwn(value, "stop_reason")
  )
    return false;
  if (typeof content === "string") return true;
  return Array.isArray(content) && !content.some((part) => othersParts.test(textAt(part, "type") ?? ""));
}

/** Returns whether an item is one that no other format has. */
export function isOwnItem(item: JsonValue): boolean {
  const type = textAt(item, "type") ?? "";
  if (type !== "message") return itemTypes.has(type) && (type !== "reasoning" || hasList(item, "summary"));
  const content = valueAt(item, "content");
  return (
    Array.isArray(content) && content.some((part) => /^(?:input|output)_/.test(textAt(part, "type") ?? ""))
  );
}

function hasList(item: JsonValue, name: string): boolean {
  return Array.isArray(valueAt(item, name));
}

function isResponseStream(text: string): boolean {
  return (
    isEventText(text) && /^(?:event: ?response\.|data: ?\{.{0,200}"response\.)/m.test(text.slice(0, 1 << 16))
  );
}
