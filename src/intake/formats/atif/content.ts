// Reads content as ATIF has it: a string, or, from version 1.6 on, parts. Images are separate files, which
// stay where they are.
import type { JsonValue } from "../../../base/json/value.js";
import { type Attach, dataOf, joined, valueText } from "../../protocols/openai-chat/content.js";
import type { Coverage } from "../../coverage.js";
import { objectAt, textAt, wordAt } from "../../json-access.js";

export function contentText(content: JsonValue | undefined, attach: Attach, coverage: Coverage): string {
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return valueText(content);
  return joined(content.map((part) => partText(part, attach, coverage)));
}

function partText(part: JsonValue, attach: Attach, coverage: Coverage): string {
  if (typeof part === "string") return part;
  const text = textAt(part, "text");
  if (text !== undefined) return text;
  const source = objectAt(part, "source");
  const kind = wordAt(source, "media_type") ?? wordAt(part, "type") ?? "file";
  const inline = textAt(source, "data");
  if (inline !== undefined) return `[${attach(Buffer.from(inline, "base64"), kind)}]`;
  const address = textAt(source, "path") ?? textAt(source, "url") ?? textAt(part, "image_url", "url");
  if (address === undefined) {
    coverage.skip(`content of type ${wordAt(part, "type") ?? "unknown"}`);
    return "";
  }
  const data = dataOf(address);
  if (data !== undefined) return `[${attach(data.bytes, data.kind)}]`;
  coverage.addUnknown("pictures and other files that the log only names");
  return `[${kind}: ${address}]`;
}
