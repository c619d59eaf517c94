// Reads messages of Anthropic's API, one after the other, into a run.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { callBook } from "../../protocols/openai-chat/calls.js";
import { contentText } from "../../protocols/anthropic/content.js";
import {
  takeBlock,
  takeToolResult,
  takeUserContent,
  anthropicUsage,
} from "../../protocols/anthropic/message.js";
import { objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";

/** Reads a message; `at` is what is known about it from elsewhere. */
export type ReadAnthropicMessage = (message: JsonValue, at?: At) => void;

export function anthropicReader(builder: RunBuilder): ReadAnthropicMessage {
  const { coverage } = builder;
  const calls = callBook();
  let count = 0;
  let hasSystem = false;

  const assistant = (message: JsonObject, at: At): void => {
    const id = wordAt(message, "id");
    const usage = objectAt(message, "usage");
    const spoken: At = { ...at, model: wordAt(message, "model") ?? at.model };
    if (usage !== undefined) builder.use(id ?? `message-${count}`, anthropicUsage(usage));
    const together = id ?? `message-${count}`;
    for (const block of blocksOf(valueAt(message, "content"))) {
      const kind = textAt(block, "type") ?? "";
      const name = kind.endsWith("_tool_result")
        ? calls.answered({ id: wordAt(block, "tool_use_id"), tool: undefined })
        : kind.endsWith("tool_use")
          ? calls.add({ id: wordAt(block, "id"), tool: wordAt(block, "name") ?? "unknown", message: count })
          : undefined;
      takeBlock(builder, block, { at: spoken, together, name });
    }
  };

  const user = (message: JsonObject, at: At): void => {
    const content = valueAt(message, "content");
    const rest: JsonValue[] = [];
    for (const block of blocksOf(content)) {
      if (isObject(block) && textAt(block, "type") === "tool_result") {
        const id = wordAt(block, "tool_use_id");
        const name = id === undefined ? undefined : calls.answered({ id, tool: undefined });
        takeToolResult(builder, block, { structured: undefined, at, name });
      } else rest.push(block);
    }
    if (rest.length > 0) takeUserContent(builder, rest, { at, kind: undefined });
  };

  return (message, at = {}) => {
    count++;
    const role = textAt(message, "role");
    if (!isObject(message)) coverage.skip("message that is no object");
    else if (role === "assistant") assistant(message, at);
    else if (role === "user") user(message, at);
    else if (role === "system") {
      const text = contentText(valueAt(message, "content"));
      if (hasSystem) builder.context("system", text, at);
      else builder.systemPrompt(text);
      hasSystem = true;
    } else coverage.skip(role === undefined ? "message without a role" : `message of role ${role}`);
  };
}

export function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
}
