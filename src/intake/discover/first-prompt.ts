// Finds the first prompt that a person wrote in the beginning of a log, by the few ways in which agents
// record one.
import { isObject, type JsonObject, type JsonValue } from "../../base/json/value.js";
import { titleOf, typedText } from "../../model/title.js";

/** How much of a prompt is returned, in UTF-16 units. */
const maxPrompt = 2048;

/** Marks of records that are not the user's, though they have the user's role. */
const marks = ["isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "is_demo"];

/** Returns the beginning of the first prompt among the records that makes a title. */
export function firstPrompt(records: readonly JsonValue[]): string | undefined {
  for (const record of records) {
    if (!isObject(record) || marks.some((mark) => own(record, mark) === true)) continue;
    for (const text of userTexts(record))
      if (titleOf(text) !== undefined) return typedText(text)?.slice(0, maxPrompt);
  }
  return undefined;
}

/** Returns the texts of a record in the user's name. */
function userTexts(record: JsonObject): string[] {
  for (const name of ["message", "payload", "data", undefined]) {
    const inner = name === undefined ? record : own(record, name);
    if (typeof inner === "string" && isOfUser(record)) return [inner];
    if (inner === undefined || !isObject(inner)) continue;
    const isTheirs =
      isOfUser(inner) || (own(inner, "role") === undefined && name !== "payload" && isOfUser(record));
    if (!isTheirs) continue;
    const texts = ["content", "parts", "message", "text"].flatMap((key) => textsIn(own(inner, key)));
    if (texts.length > 0) return texts;
  }
  return [];
}

function isOfUser(value: JsonObject): boolean {
  const [role, type] = [own(value, "role"), own(value, "type")];
  if (typeof role === "string") return role === "user";
  return type === "user" || type === "user_message" || type === "user.message";
}

/** Returns the texts of a content: it is one, or a list of parts. */
function textsIn(content: JsonValue | undefined): string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => {
    const text = isObject(part) ? own(part, "text") : part;
    return typeof text === "string" ? [text] : [];
  });
}

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
