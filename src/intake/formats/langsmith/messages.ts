// Converts the messages of LangChain's runs: its own classes, serialised as constructors or dictionaries, or
// those of the provider. All become chat messages.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";

const roles = new Map(
  Object.entries({
    human: "user",
    ai: "assistant",
    system: "system",
    tool: "tool",
    function: "tool",
    developer: "system",
  }),
);

/** Returns the messages of a list, which may hold lists: one for each request of a batch. */
export function messagesOf(value: JsonValue | undefined): JsonValue[] {
  if (!Array.isArray(value)) return [];
  // A pair of a role and a text is a message as well.
  const [who, text] = value;
  const isPair = value.length === 2 && typeof who === "string" && roles.has(who) && typeof text === "string";
  if (isPair) return [messageOf(value)];
  return value.flatMap((item) => (Array.isArray(item) ? messagesOf(item) : [messageOf(item)]));
}

export function messageOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const [who, content = ""] = value;
    return { role: (typeof who === "string" ? roles.get(who) : undefined) ?? "user", content };
  }
  if (value === null || !isObject(value)) return { role: "user", content: value };
  const name = listAt(value, "id").at(-1);
  const held = objectAt(value, "kwargs") ?? objectAt(value, "data") ?? value;
  const kind = typeof name === "string" ? name.replace(/Message(?:Chunk)?$/, "") : textAt(value, "type");
  const role =
    textAt(held, "role") ?? roles.get((kind ?? textAt(held, "type") ?? "").toLowerCase()) ?? "user";
  return role === "tool" ? resultOf(held) : saidBy(role, held);
}

function resultOf(held: JsonObject): JsonValue {
  const part = defined({
    type: "tool_call_response",
    id: wordAt(held, "tool_call_id"),
    response: valueAt(held, "content") ?? "",
    status: textAt(held, "status") === "error" ? "error" : undefined,
  });
  return { role: "tool", parts: [part] };
}

function saidBy(role: string, held: JsonObject): JsonValue {
  const calls = [
    valueAt(held, "tool_calls"),
    valueAt(held, "additional_kwargs", "tool_calls"),
    objectAt(held, "additional_kwargs", "function_call"),
  ].flatMap((list) => (Array.isArray(list) ? [list] : list === undefined || list === null ? [] : [[list]]));
  const requested = [...(calls.find((list) => list.length > 0) ?? []), ...listAt(held, "invalid_tool_calls")];
  const content = valueAt(held, "content") ?? null;
  // Blocks repeat the calls that are beside them.
  const rest = Array.isArray(content)
    ? content.filter(
        (block) =>
          requested.length === 0 || !/^(?:tool_use|function_call)$/.test(textAt(block, "type") ?? ""),
      )
    : content;
  return defined({
    role,
    content: rest,
    reasoning_content:
      textAt(held, "reasoning_content") ?? textAt(held, "additional_kwargs", "reasoning_content"),
    tool_calls: requested.length === 0 ? undefined : requested,
  });
}

/** Returns the input of a model. */
export function inputOf(inputs: JsonValue | undefined): JsonValue | undefined {
  const messages = messagesOf(valueAt(inputs, "messages"));
  if (messages.length > 0) return messages;
  const prompts = listAt(inputs, "prompts");
  if (prompts.length > 0) return prompts.map((prompt) => ({ role: "user", content: prompt }));
  return plainOf(inputs, ["input", "question", "query", "prompt", "text"]);
}

/** Returns the answer of a model. Of several answers to one request, the first counts. */
export function outputOf(
  outputs: JsonValue | undefined,
  inputs: JsonValue | undefined,
): JsonValue | undefined {
  const generations = listAt(outputs, "generations");
  const [generation] = generations.flatMap((each) => (Array.isArray(each) ? each : [each]));
  const message =
    valueAt(generation, "message") ??
    valueAt(listAt(outputs, "choices")[0], "message") ??
    valueAt(outputs, "message");
  if (message !== undefined && message !== null) return [messageOf(message)];
  const text = textAt(generation, "text");
  if (text !== undefined) return [{ role: "assistant", content: text }];
  if (valueAt(outputs, "role") !== undefined) return [messageOf(outputs as JsonValue)];
  const messages = messagesOf(valueAt(outputs, "messages"));
  // The output of an agent begins with its input.
  const before = messagesOf(valueAt(inputs, "messages")).length;
  if (messages.length > 0) return messages.slice(Math.min(before, messages.length - 1));
  return plainOf(outputs, ["output", "answer", "content", "text", "result"]);
}

/** Returns the text or the messages under one of these names. */
function plainOf(value: JsonValue | undefined, names: readonly string[]): JsonValue | undefined {
  for (const name of names) {
    const held = valueAt(value, name);
    if (typeof held === "string" && held !== "") return held;
    const messages = Array.isArray(held) ? messagesOf(held) : [];
    if (messages.length > 0) return messages;
    if (
      held !== undefined &&
      held !== null &&
      isObject(held) &&
      "content" in (objectAt(held, "kwargs") ?? held)
    )
      return [messageOf(held)];
  }
  return undefined;
}
