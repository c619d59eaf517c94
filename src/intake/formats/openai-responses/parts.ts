// Reads the content of messages among the items of the Responses API: texts, and anything else, which becomes
// an attachment.
import type { JsonValue } from "../../../base/json/value.js";
import { type Attach, dataOf, joined, linked } from "../../protocols/openai-chat/content.js";
import type { Coverage } from "../../coverage.js";
import { textAt, wordAt } from "../../json-access.js";

export interface SpokenContent {
  text: string;
  refusal: string;
}

export function spokenIn(content: JsonValue | undefined, attach: Attach, coverage: Coverage): SpokenContent {
  if (typeof content === "string") return { text: content, refusal: "" };
  const parts = Array.isArray(content) ? content : content === undefined || content === null ? [] : [content];
  const texts: string[] = [];
  const refusals: string[] = [];
  for (const part of parts) {
    if (textAt(part, "type") === "refusal") refusals.push(textAt(part, "refusal") ?? "");
    else texts.push(partText(part, attach, coverage));
  }
  return { text: joined(texts), refusal: joined(refusals) };
}

function partText(part: JsonValue, attach: Attach, coverage: Coverage): string {
  if (typeof part === "string") return part;
  const text = textAt(part, "text");
  if (text !== undefined) return text;
  switch (textAt(part, "type")) {
    case "input_image":
    case "computer_screenshot":
    case "image_url": {
      const address = textAt(part, "image_url") ?? textAt(part, "image_url", "url");
      return address === undefined ? named(wordAt(part, "file_id")) : linked(address, attach);
    }
    case "input_file":
      return fileText(part, attach);
    case "input_audio": {
      const data = textAt(part, "data") ?? textAt(part, "input_audio", "data") ?? "";
      const kind = textAt(part, "format") ?? textAt(part, "input_audio", "format") ?? "";
      return `[${attach(Buffer.from(data, "base64"), kind)}]`;
    }
    default:
      coverage.skip(`content of type ${textAt(part, "type") ?? "unknown"}`);
      return "";
  }
}

function fileText(part: JsonValue, attach: Attach): string {
  const name = wordAt(part, "filename");
  const data = textAt(part, "file_data");
  if (data === undefined) return named(name ?? wordAt(part, "file_url") ?? wordAt(part, "file_id"));
  const { bytes, kind } = dataOf(data) ?? { bytes: Buffer.from(data, "base64"), kind: "" };
  const attached = attach(bytes, kind === "" ? (name ?? "") : kind);
  return name === undefined ? `[${attached}]` : `[${attached}: ${name}]`;
}

function named(name: string | undefined): string {
  return name === undefined ? "" : `[file ${name}]`;
}
