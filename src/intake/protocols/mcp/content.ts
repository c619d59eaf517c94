// Returns the content of a server's answer as text; anything else becomes an attachment.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { Attach } from "../openai-chat/content.js";
import { flagAt, listAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Status } from "../../run-entries.js";

export function answerOf(message: JsonObject, attach: Attach): { output: string; status: Status } {
  const error = valueAt(message, "error");
  if (error !== undefined && error !== null) {
    const data = valueAt(error, "data");
    const text = textAt(error, "message") ?? canonicalText(error);
    return { output: data === undefined ? text : `${text}\n${plain(data)}`, status: "error" };
  }
  const result = valueAt(message, "result") ?? null;
  const blocks = ["content", "contents", "messages"]
    .map((name) => listAt(result, name))
    .find((list) => list.length > 0);
  const status = flagAt(result, "isError") ? "error" : "ok";
  const structured = valueAt(result, "structuredContent");
  if (blocks === undefined) return { output: canonicalText(structured ?? result), status };
  return { output: blocks.map((block) => blockText(block, attach)).join("\n"), status };
}

function blockText(block: JsonValue, attach: Attach): string {
  const text = textAt(block, "text");
  if (text !== undefined) return text;
  const data = textAt(block, "data") ?? textAt(block, "blob");
  if (data !== undefined) return `[${attach(Buffer.from(data, "base64"), textAt(block, "mimeType") ?? "")}]`;
  const resource = valueAt(block, "resource");
  if (resource !== undefined) return blockText(resource, attach);
  // A message of a prompt.
  const role = wordAt(block, "role");
  const content = valueAt(block, "content");
  if (role !== undefined && content !== undefined)
    return `${role}: ${(Array.isArray(content) ? content : [content]).map((part) => blockText(part, attach)).join("\n")}`;
  const address = wordAt(block, "uri");
  return address === undefined ? plain(block) : `[${address}]`;
}

export function plain(value: JsonValue): string {
  return typeof value === "string" ? value : canonicalText(value);
}
