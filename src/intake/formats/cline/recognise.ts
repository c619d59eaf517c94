// Recognises what Cline, Roo and Kilo leave on disk: the history of a task, which is a list of Anthropic
// messages with more fields, and the files beside it. This folder has no format.ts: a history is a log of
// anthropic-messages, whose format.ts and run.ts call this file and reader.ts.
import { isObject, type JsonValue } from "../../../base/json/value.js";
import { listAt, numberAt, objectAt, textAt } from "../../json-access.js";
import { isClineText } from "./text.js";

/** Returns whether messages with roles and contents are the history of a task. */
export function isClineHistory(messages: readonly JsonValue[]): boolean {
  if (messages.some((message) => textAt(message, "role") === "system")) return false;
  const isMarked = messages.some(
    (message) => objectAt(message, "modelInfo") !== undefined || numberAt(message, "ts") !== undefined,
  );
  // Older versions add no fields to messages; only the text identifies them.
  return isMarked || messages.slice(0, 3).some(isTask);
}

function isTask(message: JsonValue): boolean {
  const content = textAt(message, "content");
  const texts =
    content === undefined
      ? listAt(message, "content").map((block) => textAt(block, "text") ?? "")
      : [content];
  return (
    textAt(message, "role") === "user" &&
    texts.some((text) => text.includes("<environment_details>")) &&
    texts.some(isClineText)
  );
}

const instead = "pack the api_conversation_history.json next to it";

/** Describes another file of a task; `first` is its content, or its first element. */
export function sideFile(first: JsonValue | undefined): string | undefined {
  if (first === undefined || !isObject(first)) return undefined;
  const type = textAt(first, "type");
  if (numberAt(first, "ts") !== undefined && (type === "say" || type === "ask"))
    return `it is ui_messages.json, which Cline displays; ${instead}`;
  if (Array.isArray(first["files_in_context"])) return `it is Cline's task_metadata.json; ${instead}`;
  const isItem = numberAt(first, "tokensIn") !== undefined && textAt(first, "task") !== undefined;
  return isItem ? `it is the history_item.json of a task; ${instead}` : undefined;
}
