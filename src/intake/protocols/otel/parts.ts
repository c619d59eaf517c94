// Parses the messages in spans into parts of one form: the conventions' own parts, and those of the
// providers, which instrumentations pass through.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { flagAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Status } from "../../run-entries.js";
import { argumentsOf, parsedText } from "../openai-chat/calls.js";
import { dataOf, valueText } from "../openai-chat/content.js";

export type MessagePart =
  | { kind: "text" | "thought"; text: string }
  | { kind: "data"; bytes: Buffer; type: string }
  | {
      kind: "call";
      id: string | undefined;
      tool: string;
      parameters: JsonObject | undefined;
      isServer: boolean;
    }
  | { kind: "response"; id: string | undefined; output: string | undefined; status?: Status }
  | { kind: "other"; type: string };

export interface SpanMessage {
  role: string;
  parts: MessagePart[];
}

const roleNames = new Map(
  Object.entries({
    model: "assistant",
    ai: "assistant",
    human: "user",
    function: "tool",
    developer: "system",
  }),
);

/** Returns the messages of a value: a list, one message, their JSON as text, or plain text. */
export function messagesIn(value: JsonValue | undefined, role: string, coverage: Coverage): SpanMessage[] {
  if (value === undefined || value === null || value === "") return [];
  const held = typeof value === "string" ? (parsedText(value, coverage) ?? value) : value;
  if (Array.isArray(held) && held.length === 0) return [];
  const items = isObject(held) && Array.isArray(held["messages"]) ? held["messages"] : held;
  if (Array.isArray(items) && items.some((item) => isMessage(item)))
    return items.map((item) => messageOf(item, role, coverage));
  if (isMessage(items)) return [messageOf(items, role, coverage)];
  // An answer may be JSON, and is text then.
  return [{ role, parts: [{ kind: "text", text: valueText(value) }] }];
}

/** Returns parts without a message around them, as system instructions are. */
export function partsIn(value: JsonValue | undefined, coverage: Coverage): MessagePart[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") {
    const held = parsedText(value, coverage);
    return Array.isArray(held) ? partsIn(held, coverage) : [{ kind: "text", text: value }];
  }
  return (Array.isArray(value) ? value : [value]).map((part) => partOf(part, coverage));
}

function isMessage(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  return (
    typeof value["tool.name"] === "string" ||
    (typeof value["role"] === "string" && ["parts", "content", "tool_calls"].some((key) => key in value))
  );
}

export function messageOf(value: JsonValue, defaultRole: string, coverage: Coverage): SpanMessage {
  const named = textAt(value, "role") ?? defaultRole;
  const role = roleNames.get(named) ?? named;
  const tool = wordAt(value, "tool.name");
  if (tool !== undefined) return { role, parts: [call(value, tool, valueAt(value, "tool.args"), coverage)] };
  const content = valueAt(value, "parts") ?? valueAt(value, "content");
  const thought = wordAt(value, "reasoning_content");
  const parts: MessagePart[] = thought === undefined ? [] : [{ kind: "thought", text: thought }];
  if (typeof content === "string") parts.push({ kind: "text", text: content });
  else for (const part of partsIn(content, coverage)) parts.push(part);
  const calls = valueAt(value, "tool_calls");
  const requested = typeof calls === "string" ? parsedText(calls, coverage) : calls;
  for (const each of Array.isArray(requested) ? requested : []) parts.push(callOf(each, coverage));
  return { role, parts: role === "tool" ? [...responses(value, parts)] : parts };
}

/** Converts the parts of a tool's message to results, also where they do not say so. */
function responses(value: JsonValue, parts: readonly MessagePart[]): readonly MessagePart[] {
  if (parts.some(({ kind }) => kind === "response")) return parts;
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const id = wordAt(value, "tool_call_id") ?? wordAt(value, "id");
  return [{ kind: "response", id, output: texts.join("\n") }, ...parts.filter(({ kind }) => kind !== "text")];
}

function partOf(part: JsonValue, coverage: Coverage): MessagePart {
  if (typeof part === "string") return { kind: "text", text: part };
  const type = textAt(part, "type") ?? "unknown";
  const text = textAt(part, "content") ?? textAt(part, "text");
  switch (type) {
    case "reasoning":
    case "thinking":
      return { kind: "thought", text: text ?? textAt(part, "thinking") ?? "" };
    case "tool_call":
    case "tool_use":
    case "function_call":
      return callOf(part, coverage);
    case "server_tool_call":
      return { ...callOf(part, coverage), isServer: true };
    case "tool_call_response":
    case "tool_result":
    case "function_response":
    case "server_tool_call_response":
      return responseOf(part);
    case "blob":
      return {
        kind: "data",
        bytes: Buffer.from(textAt(part, "data") ?? text ?? "", "base64"),
        type: textAt(part, "mime_type") ?? "",
      };
    case "uri":
    case "file":
      return { kind: "text", text: `[${wordAt(part, "uri") ?? wordAt(part, "file_id") ?? type}]` };
    case "image_url":
      return imageOf(textAt(part, "image_url", "url") ?? textAt(part, "image_url") ?? "");
    default:
      return text === undefined ? { kind: "other", type } : { kind: "text", text };
  }
}

function callOf(part: JsonValue, coverage: Coverage): Extract<MessagePart, { kind: "call" }> {
  const about = objectAt(part, "function") ?? part;
  const held = ["arguments", "input", "args", "server_tool_call"]
    .map((key) => valueAt(about, key))
    .find((value) => value !== undefined);
  return call(part, wordAt(about, "name") ?? "unknown", held, coverage);
}

function call(
  part: JsonValue,
  tool: string,
  held: JsonValue | undefined,
  coverage: Coverage,
): Extract<MessagePart, { kind: "call" }> {
  const id = wordAt(part, "id") ?? wordAt(part, "call_id");
  const parameters = held === undefined ? undefined : argumentsOf(held, coverage);
  return { kind: "call", id, tool, parameters, isServer: false };
}

/** Words by which results say that they failed. */
const statuses = new Map<string, Status>([
  ["error", "error"],
  ["denied", "denied"],
]);

function responseOf(part: JsonValue): MessagePart {
  const id = wordAt(part, "id") ?? wordAt(part, "tool_use_id") ?? wordAt(part, "call_id");
  const held = ["response", "result", "content", "server_tool_call_response"]
    .map((key) => valueAt(part, key))
    .find((value) => value !== undefined && value !== null);
  const status = statuses.get(textAt(part, "status") ?? (flagAt(part, "is_error") ? "error" : ""));
  return {
    kind: "response",
    id,
    output: held === undefined ? undefined : resultText(held),
    ...(status === undefined ? {} : { status }),
  };
}

/** Returns a result as text; a list of texts, as providers have it, is joined. */
export function resultText(value: JsonValue): string {
  const texts = Array.isArray(value) ? value.map((part) => textAt(part, "text")) : [];
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join("\n") : valueText(value);
}

function imageOf(address: string): MessagePart {
  const data = dataOf(address);
  return data === undefined
    ? { kind: "text", text: `[${address}]` }
    : { kind: "data", bytes: data.bytes, type: data.kind };
}
