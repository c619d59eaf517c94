// Messages of Vercel's AI SDK: those that models take, with calls and results as parts of their contents, and
// those that user interfaces store, in which one part is a call and its result. All are converted to messages
// with parts of the GenAI conventions.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { appendAll } from "../../../base/lists.js";
import type { Coverage } from "../../coverage.js";
import { flagAt, defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { dataOf } from "../openai-chat/content.js";

/** The parts of a message, by step: everything that a model did in one answer is together. */
export interface AiMessage {
  role: string;
  steps: JsonObject[][];
}

export function aiMessage(message: JsonValue, coverage: Coverage): AiMessage {
  const role = textAt(message, "role") ?? "unknown";
  const parts = listAt(message, "parts");
  const content = valueAt(message, "content");
  const held = parts.length > 0 ? parts : Array.isArray(content) ? content : [];
  const steps: JsonObject[][] = [[]];
  const add = (...more: JsonObject[]): void => addAll(more);
  const addAll = (more: readonly JsonObject[]): void => appendAll(steps.at(-1) as JsonObject[], more);
  if (parts.length === 0) {
    const thought = textAt(message, "reasoning");
    if (thought !== undefined) add({ type: "reasoning", content: thought });
    if (typeof content === "string" && content !== "") add({ type: "text", content });
    for (const call of listAt(message, "toolInvocations")) addAll(invocation(call));
  }
  for (const file of listAt(message, "experimental_attachments")) add(fileOf(file));
  for (const part of held)
    if (textAt(part, "type") === "step-start") steps.push([]);
    else addAll(partsOf(part, coverage));
  return { role, steps: steps.filter((step) => step.length > 0) };
}

/** Converts a message to one of the conventions. */
export function conventional(message: JsonValue, coverage: Coverage): JsonObject {
  const { role, steps } = aiMessage(message, coverage);
  return { role, parts: steps.flat() };
}

/** Returns whether a message is of the SDK's kind and of no other. */
export function isAiMessage(message: JsonValue | undefined): boolean {
  if (!/^(?:system|user|assistant|tool)$/.test(textAt(message, "role") ?? "")) return false;
  if (listAt(message, "content").some((part) => isCallPart(part))) return true;
  if (listAt(message, "toolInvocations").some((call) => wordAt(call, "toolCallId") !== undefined))
    return true;
  const parts = listAt(message, "parts");
  return parts.length > 0 && parts.every((part) => isUiPart(part));
}

function isCallPart(part: JsonValue): boolean {
  return (
    /^tool-(?:call|result)$/.test(textAt(part, "type") ?? "") && wordAt(part, "toolCallId") !== undefined
  );
}

function isUiPart(part: JsonValue): boolean {
  const type = textAt(part, "type") ?? "";
  if (type === "text" || type === "reasoning")
    return textAt(part, "text") !== undefined || textAt(part, "reasoning") !== undefined;
  if (type === "file")
    return textAt(part, "mediaType") !== undefined || textAt(part, "mimeType") !== undefined;
  return /^(?:step-start|source-url|source-document|source|dynamic-tool|tool-invocation|data-.*|tool-.+)$/.test(
    type,
  );
}

function partsOf(part: JsonValue, coverage: Coverage): JsonObject[] {
  const type = textAt(part, "type") ?? "unknown";
  switch (type) {
    case "text":
      return [{ type, content: textAt(part, "text") ?? "" }];
    case "reasoning":
      return [{ type, content: textAt(part, "text") ?? textAt(part, "reasoning") ?? "" }];
    case "redacted-reasoning":
      coverage.addUnknown("some of the reasoning (encrypted, or not recorded)");
      return [];
    case "image":
    case "file":
      return [fileOf(part)];
    case "tool-call":
      return [callOf(part)];
    case "tool-result":
    case "tool-error":
      return [resultOf(part)];
    case "tool-invocation":
      return invocation(objectAt(part, "toolInvocation") ?? part);
    case "dynamic-tool":
      return invocation(part);
  }
  if (type.startsWith("data-") || type.startsWith("source") || type.startsWith("tool-approval-")) {
    coverage.leaveOut(`part ${type.replace(/^data-.*/, "data")}`);
    return [];
  }
  // The tool's name is part of the type.
  if (type.startsWith("tool-")) return invocation(part, type.slice("tool-".length));
  return [{ type }];
}

function callOf(part: JsonValue, name = wordAt(part, "toolName")): JsonObject {
  return defined({
    type: flagAt(part, "providerExecuted") ? "server_tool_call" : "tool_call",
    id: wordAt(part, "toolCallId"),
    name: name ?? "unknown",
    arguments: valueAt(part, "input") ?? valueAt(part, "args") ?? valueAt(part, "rawInput"),
  });
}

function resultOf(part: JsonValue): JsonObject {
  const output = objectAt(part, "output");
  const type = textAt(output, "type") ?? "";
  const isWrapped = /^(?:text|json|error-text|error-json|content|execution-denied)$/.test(type);
  const hasFailed =
    type.startsWith("error-") || flagAt(part, "isError") || textAt(part, "type") === "tool-error";
  const plain = valueAt(part, "output") ?? valueAt(part, "result") ?? valueAt(part, "error");
  return defined({
    type: "tool_call_response",
    id: wordAt(part, "toolCallId"),
    response: isWrapped ? (valueAt(output, "value") ?? wordAt(output, "reason") ?? "") : plain,
    status: type === "execution-denied" ? "denied" : hasFailed ? "error" : undefined,
  });
}

/** Converts a call and, if present, its result. */
function invocation(part: JsonValue, name?: string): JsonObject[] {
  const id = wordAt(part, "toolCallId");
  const state = textAt(part, "state") ?? "";
  const call = callOf(part, name ?? wordAt(part, "toolName"));
  const answer = (response: JsonValue, status?: string): JsonObject[] => [
    call,
    defined({ type: "tool_call_response", id, response, status }),
  ];
  switch (state) {
    case "output-error":
      return answer(textAt(part, "errorText") ?? "", "error");
    case "output-denied":
      return answer(wordAt(part, "approval", "reason") ?? "", "denied");
    case "output-available":
    case "result":
      return answer(valueAt(part, "output") ?? valueAt(part, "result") ?? "");
    default:
      return [call];
  }
}

function fileOf(part: JsonValue): JsonObject {
  const type = wordAt(part, "mediaType") ?? wordAt(part, "mimeType") ?? wordAt(part, "contentType") ?? "";
  const held = [
    valueAt(part, "url"),
    valueAt(part, "data"),
    valueAt(part, "image"),
    valueAt(part, "data", "url"),
  ].find((value) => typeof value === "string");
  const address = typeof held === "string" ? held : "";
  const data = dataOf(address);
  if (data !== undefined)
    return {
      type: "blob",
      data: data.bytes.toString("base64"),
      mime_type: data.kind === "" ? type : data.kind,
    };
  if (address === "" || /^[a-z]{2,10}:\/\//i.test(address))
    return { type: "uri", uri: address === "" ? (wordAt(part, "filename") ?? "file") : address };
  return { type: "blob", data: address, mime_type: type };
}

/** Returns the usage of an answer as the SDK counts it: numbers, or, since its version 6, numbers by kind. */
export function aiUsage(usage: JsonValue | undefined): JsonObject {
  if (usage === undefined || usage === null || !isObject(usage)) return {};
  const count = (...names: readonly (readonly string[])[]): JsonValue | undefined =>
    // oxlint-disable-next-line ctx/no-spread-call -- one or two names
    names.map((path) => valueAt(usage, ...path)).find((value) => typeof value === "number");
  return defined({
    "gen_ai.usage.input_tokens": count(["inputTokens", "total"], ["inputTokens"], ["promptTokens"]),
    "gen_ai.usage.output_tokens": count(["outputTokens", "total"], ["outputTokens"], ["completionTokens"]),
    "gen_ai.usage.cache_read.input_tokens": count(["inputTokens", "cacheRead"], ["cachedInputTokens"]),
    "gen_ai.usage.cache_creation.input_tokens": count(["inputTokens", "cacheWrite"]),
    "gen_ai.usage.reasoning.output_tokens": count(["outputTokens", "reasoning"], ["reasoningTokens"]),
  });
}
