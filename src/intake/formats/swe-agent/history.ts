// Reads the history of a run: the messages before the model's first answer, and, where there is no
// trajectory, everything after it. The result of an action is the message after it.
import type { JsonObject } from "../../../base/json/value.js";
import { callBook } from "../../protocols/openai-chat/calls.js";
import { flagAt, listAt, textAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { isElided, takeSpeech, textIn } from "./speech.js";

/** Reads everything before the model's first message, and returns the rest. */
export function takeOpening(
  builder: RunBuilder,
  history: readonly JsonObject[],
  problem: string | undefined,
): JsonObject[] {
  if (problem !== undefined) builder.prompt(problem);
  const start = history.findIndex((message) => textAt(message, "role") === "assistant" && !isDemo(message));
  const opening = start === -1 ? history : history.slice(0, start);
  let hasSystem = false;
  for (const message of opening) {
    const text = textIn(builder, message) ?? "";
    const role = textAt(message, "role");
    if (isDemo(message)) takeDemo(builder, message);
    else if (role === "system") {
      if (hasSystem) builder.context("system", text);
      else builder.systemPrompt(text);
      hasSystem = true;
    } else if (role !== "user") builder.coverage.skip(`message of role ${role ?? "unknown"}`);
    else if (builder.promptCount === 0) builder.prompt(text);
    else if (text !== problem) builder.context("instructions", text);
  }
  return start === -1 ? [] : history.slice(start);
}

/** Returns whether a message is part of a demonstration: another run, which the model was shown. */
export function isDemo(message: JsonObject): boolean {
  return flagAt(message, "is_demo") || textAt(message, "message_type") === "demonstration";
}

function takeDemo(builder: RunBuilder, message: JsonObject): void {
  const role = textAt(message, "role") ?? "unknown";
  builder.context("demonstration", textIn(builder, message) ?? "", { metadata: { role } });
}

export function takeHistory(
  builder: RunBuilder,
  messages: readonly JsonObject[],
  about: { model: string | undefined; cwd: string | undefined },
): void {
  const calls = callBook();
  let number = 0;
  let waiting: string | undefined;
  const answer = (message: JsonObject): void => {
    const output = textIn(builder, message);
    const isCut = output !== undefined && isElided(output);
    if (isCut) builder.coverage.truncated++;
    const [id] = listAt(message, "tool_call_ids");
    // Ids repeat, and the message after a call is its result.
    const name = waiting ?? (typeof id === "string" ? calls.answered({ id, tool: undefined }) : undefined);
    builder.result(name, { status: "ok", output, metadata: isCut ? { truncated: true } : {} });
    waiting = undefined;
  };
  const assistant = (message: JsonObject, at: At): void => {
    number++;
    const response = textIn(builder, message) ?? "";
    const thought = textAt(message, "thought") ?? response;
    const action = textAt(message, "action") ?? "";
    waiting = takeSpeech(builder, { response, thought, action, message }, { calls, number, at });
  };
  for (const message of messages) {
    const role = textAt(message, "role");
    if (isDemo(message)) takeDemo(builder, message);
    else if (role === "assistant") assistant(message, about);
    else if (role === "tool" || (role === "user" && waiting !== undefined)) answer(message);
    else if (role === "user") builder.prompt(textIn(builder, message) ?? "");
    else if (role === "system") builder.context("system", textIn(builder, message) ?? "");
    else builder.coverage.skip(`message of role ${role ?? "unknown"}`);
  }
}
