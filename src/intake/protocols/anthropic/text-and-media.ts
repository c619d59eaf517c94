// Reads the content of a message of Anthropic's API, which is a string or a list of blocks, as text, and the
// bytes of its images and documents. message.ts reads blocks into a run.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonValue } from "../../../base/json/value.js";
import { textAt } from "../../json-access.js";

/** Returns a content as text. Blocks that are not text are kept as JSON. */
export function contentText(content: JsonValue | undefined): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return canonicalText(content);
  const texts = content.map((block) =>
    typeof block === "string" ? block : textAt(block, "type") === "text" ? textAt(block, "text") : undefined,
  );
  return texts.every((text) => text !== undefined) ? texts.join("\n") : canonicalText(content);
}

/** Returns the bytes of an image, if the content is nothing else. */
export function imageBytes(content: JsonValue | undefined): Buffer | undefined {
  const [only, another] = Array.isArray(content) ? content : [];
  return only !== undefined && another === undefined ? mediaOf(only)?.bytes : undefined;
}

/** Returns the bytes of an image or document block, and the file extension for them. */
export function mediaOf(block: JsonValue): { bytes: Buffer; ending: string } | undefined {
  const kind = textAt(block, "type");
  const data = textAt(block, "source", "data");
  if ((kind !== "image" && kind !== "document") || data === undefined) return undefined;
  const type = textAt(block, "source", "media_type") ?? "";
  const isText = textAt(block, "source", "type") === "text";
  const ending = /\/([a-z0-9]{1,8})$/.exec(type)?.[1] ?? "bin";
  return { bytes: Buffer.from(data, isText ? "utf8" : "base64"), ending: ending === "jpeg" ? "jpg" : ending };
}
