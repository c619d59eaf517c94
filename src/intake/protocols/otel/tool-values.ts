// Parses inputs and outputs of tools as programs in Python log them: JSON, the `repr` of a dictionary, or a
// message of LangChain's.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { pythonFields, pythonLiteral } from "../../python-literal.js";
import { parsedText } from "../openai-chat/calls.js";
import { valueText } from "../openai-chat/content.js";

/** Returns the parameters of a call; anything but an object is kept as it is, under `input`. */
export function toolInput(value: JsonValue, coverage: Coverage): JsonObject {
  if (value !== null && isObject(value)) return value;
  if (typeof value !== "string") return value === null ? {} : { input: value };
  const held =
    parsedText(value, coverage) ?? (value.trimStart().startsWith("{") ? pythonLiteral(value) : null);
  if (held !== undefined && held !== null && isObject(held)) return held;
  return value === "" ? {} : { input: value };
}

export interface ToolOutput {
  output: string;
  /** The call that it answers. */
  id: string | undefined;
  hasFailed: boolean;
}

/** Returns the output of a tool, without the message that carries it. */
export function toolOutput(value: JsonValue, coverage: Coverage): ToolOutput {
  const message = messageIn(value, coverage);
  if (message === undefined) return { output: valueText(value), id: undefined, hasFailed: false };
  return {
    output: valueText(valueAt(message, "content") ?? ""),
    id: wordAt(message, "tool_call_id"),
    hasFailed: textAt(message, "status") === "error",
  };
}

/** Returns the LangChain message that a value is, holds, or serialises. */
function messageIn(value: JsonValue, coverage: Coverage): JsonObject | undefined {
  const held =
    typeof value === "string"
      ? ((/^\s*\{/.test(value) ? parsedText(value, coverage) : undefined) ??
        (value.startsWith("content=") ? pythonFields(value) : undefined))
      : value;
  const inner = objectAt(held, "output") ?? held;
  const message = objectAt(inner, "kwargs") ?? inner;
  const isMessage =
    message !== null &&
    message !== undefined &&
    isObject(message) &&
    "content" in message &&
    ("tool_call_id" in message || message["type"] === "tool");
  return isMessage ? message : undefined;
}
