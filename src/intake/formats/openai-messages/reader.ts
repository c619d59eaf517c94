// Builds a run from OpenAI-style chat messages, one after the other.
import { isObject, type JsonValue } from "../../../base/json/value.js";
import { listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { argumentsOf, callBook } from "../../protocols/openai-chat/calls.js";
import { attachTo, joined, said } from "../../protocols/openai-chat/content.js";

/** Reads a message; `at` is what is known about it from elsewhere. */
export type ReadChatMessage = (message: JsonValue, at?: At) => void;

export function chatReader(builder: RunBuilder): ReadChatMessage {
  const { coverage } = builder;
  const attach = attachTo(builder);
  const calls = callBook();
  let count = 0;
  let hasSystem = false;

  const ask = (call: JsonValue, message: number, at: At): void => {
    const named = objectAt(call, "function") ?? objectAt(call, "custom");
    const isOldKind = named === undefined && isObject(call) && wordAt(call, "name") !== undefined;
    if (named === undefined && !isOldKind) {
      coverage.skip(`tool call of type ${textAt(call, "type") ?? "unknown"}`);
      return;
    }
    const about = named ?? call;
    const tool = wordAt(about, "name");
    if (tool === undefined) coverage.lacks("the names of some tools");
    const id = wordAt(call, "id");
    const name = calls.add({ id, tool: tool ?? "unknown", message });
    builder.call({
      ...at,
      id: name,
      tool: tool ?? "unknown",
      // A custom tool takes a text.
      parameters:
        objectAt(call, "custom") === undefined
          ? argumentsOf(valueAt(about, "arguments"), coverage)
          : { input: valueAt(about, "input") ?? "" },
      together: `message-${message}`,
      ...(id === undefined ? {} : { metadata: { ...at.metadata, call_id: id } }),
    });
  };

  const assistant = (message: JsonValue, at: At): void => {
    const { text, thought, refusal } = said(valueAt(message, "content"), attach, coverage);
    const thoughts = joined([
      textAt(message, "reasoning_content") ?? textAt(message, "reasoning") ?? thinking(message),
      thought,
    ]);
    if (thoughts.trim() !== "") builder.reasoning(thoughts, at);
    if (text.trim() !== "") builder.message(text, at);
    const refused = joined([textAt(message, "refusal") ?? "", refusal]);
    if (refused !== "") builder.message(refused, { ...at, metadata: { ...at.metadata, refusal: true } });
    for (const call of listAt(message, "tool_calls")) ask(call, count, at);
    const old = objectAt(message, "function_call");
    if (old !== undefined) ask(old, count, at);
    if (isCallInText(text)) coverage.lacks("tool calls that the model wrote into its text");
  };

  const result = (message: JsonValue, at: At): void => {
    const id = wordAt(message, "tool_call_id");
    const tool = wordAt(message, "name") ?? wordAt(message, "tool_name");
    const content = valueAt(message, "content");
    coverage.lacks("whether tool calls failed (chat messages do not say it)");
    const name = calls.answered({ id, tool });
    const metadata = { ...at.metadata, ...(id === undefined ? {} : { call_id: id }) };
    builder.result(name, {
      status: "ok",
      time: at.time,
      ...(content === undefined || content === null ? {} : { output: said(content, attach, coverage).text }),
      metadata: name === undefined && tool !== undefined ? { ...metadata, tool } : metadata,
    });
  };

  return (message, at = {}) => {
    count++;
    const role = textAt(message, "role");
    if (role === "assistant") assistant(message, at);
    else if (role === "tool" || role === "function") result(message, at);
    else if (role === "user") builder.prompt(said(valueAt(message, "content"), attach, coverage).text, at);
    else if (role === "system" || role === "developer") {
      const { text } = said(valueAt(message, "content"), attach, coverage);
      if (hasSystem) builder.context("system", text, at);
      else builder.systemPrompt(text);
      hasSystem = true;
    } else coverage.skip(role === undefined ? "message without a role" : `message of role ${role}`);
  };
}

/** Returns the reasoning that LiteLLM passes on as blocks. */
function thinking(message: JsonValue): string {
  return joined(listAt(message, "thinking_blocks").map((block) => textAt(block, "thinking") ?? ""));
}

/**
 * Whether a text seems to hold calls: models without native tools are prompted to write calls as text, which
 * cannot be parsed reliably.
 */
function isCallInText(text: string): boolean {
  return text.includes("<function=") || text.includes("```mswea_bash_command");
}
