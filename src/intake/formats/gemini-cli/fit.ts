// Distinguishes sessions of Gemini CLI, in their two layouts, and its saved chats from other logs.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { isObject } from "../../../base/json/value.js";
import { listAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { Fit } from "../../format.js";
import type { Head } from "../../head.js";

export function geminiFit({ document, records, isWhole }: Head): Fit {
  if (Array.isArray(document)) return listFit(document, isWhole);
  const first = objectAt(document);
  if (first === undefined) return { near: 0, missing: "it does not begin with a JSON object or list" };
  const history = valueAt(first, "history");
  if (Array.isArray(history) && history.length > 0) return listFit(history, isWhole);
  const seen = records.length > 0 ? records : [first];
  if ([first, ...seen].some(isHeader) || [first, ...seen].some(hasMessages)) return true;
  const messages = seen.filter(isMessage);
  const isJournal = seen.some((record) => objectAt(record, "$set") ?? textAt(record, "$rewindTo"));
  if (messages.length > 0 && (isJournal || messages.some(isModels))) return true;
  return { near: isJournal ? 0.5 : 0, missing: "no record has a sessionId and a projectHash" };
}

function isHeader(record: JsonObject): boolean {
  return textAt(record, "sessionId") !== undefined && textAt(record, "projectHash") !== undefined;
}

function hasMessages(record: JsonObject): boolean {
  return (
    textAt(record, "sessionId") !== undefined &&
    listAt(record, "messages").some((message) => isObject(message) && isModels(message))
  );
}

function isMessage(record: JsonObject): boolean {
  return (
    textAt(record, "id") !== undefined &&
    /^(?:user|gemini|info|error|warning)$/.test(textAt(record, "type") ?? "") &&
    Object.hasOwn(record, "content")
  );
}

function isModels(record: JsonObject): boolean {
  return textAt(record, "type") === "gemini" && textAt(record, "id") !== undefined;
}

function listFit(list: readonly JsonValue[], isWhole: boolean): Fit {
  const looked = isWhole || list.length === 1 ? list : list.slice(0, -1);
  if (looked.length > 0 && looked.every(isLogged))
    return {
      near: 0.95,
      missing: "it is logs.json, a list of prompts: the sessions are chats/session-*.jsonl beside it",
    };
  if (looked.length > 0 && looked.every(isContent)) return true;
  return {
    near: looked.some(isContent) ? 0.4 : 0,
    missing: 'no list of messages with a role "user" or "model" and parts',
  };
}

/** Returns whether an element is a record of the log of prompts. */
function isLogged(item: JsonValue): boolean {
  return (
    textAt(item, "sessionId") !== undefined &&
    valueAt(item, "messageId") !== undefined &&
    textAt(item, "message") !== undefined
  );
}

function isContent(item: JsonValue): boolean {
  return (
    isObject(item) &&
    /^(?:user|model|function)$/.test(textAt(item, "role") ?? "") &&
    Array.isArray(item["parts"]) &&
    item["parts"].every(isPart)
  );
}

const partNames =
  /^(?:text|thought|functionCall|functionResponse|inlineData|fileData|executableCode|codeExecutionResult)$/;

/** Returns whether a value is a part: parts with a type belong to other formats. */
function isPart(part: JsonValue): boolean {
  if (!isObject(part) || textAt(part, "type") !== undefined) return false;
  const names = Object.keys(part);
  return names.length === 0 || names.some((name) => partNames.test(name));
}
