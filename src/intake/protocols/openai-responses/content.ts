// Reads the content of items of OpenAI's Responses API, which Codex stores as well: texts, images, reasoning,
// the names of tools.
import { canonicalText } from "../../../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { listAt, textAt, valueAt, wordAt } from "../../json-access.js";

/** Returns the text of content items, a single item or a bare string. */
export function itemText(value: JsonValue | undefined): string {
  return plainOf(value).text;
}

/** Returns the bytes of an image that is embedded in the log. */
export function imageOf(url: string | undefined): { bytes: Buffer; ending: string } | undefined {
  const [, ending, base64] = /^data:image\/([a-z0-9]+)[^,]*;base64,(.*)$/s.exec(url ?? "") ?? [];
  if (ending === undefined || base64 === undefined) return undefined;
  return { bytes: Buffer.from(base64, "base64"), ending: ending === "jpeg" ? "jpg" : ending };
}

/** Returns text and images of a result. */
export function plainOf(value: JsonValue | undefined): { text: string; image?: Buffer; images: number } {
  if (value === undefined || value === null) return { text: "", images: 0 };
  if (typeof value === "string") return { text: value, images: 0 };
  if (isObject(value) && valueAt(value, "content") !== undefined) return plainOf(valueAt(value, "content"));
  const items = Array.isArray(value) ? value : [value];
  const pictures = items.flatMap((item) => imageOf(textAt(item, "image_url")) ?? []);
  const texts = items.flatMap((item) => (typeof item === "string" ? item : (textAt(item, "text") ?? [])));
  const text = texts.reduce(
    (all, next) => (all === "" || all.endsWith("\n") ? all + next : `${all}\n${next}`),
    "",
  );
  if (texts.length === 0 && pictures.length === 0 && !items.some((item) => isOfType(item)))
    return { text: canonicalText(value), images: 0 };
  return {
    text,
    images: pictures.length,
    ...(pictures[0] === undefined ? {} : { image: pictures[0].bytes }),
  };
}

function isOfType(item: JsonValue): boolean {
  return /^(?:input|output|encrypted)_/.test(textAt(item, "type") ?? "");
}

/** Returns the reasoning, in summary or in full; undefined when it is encrypted. */
export function thoughtOf(item: JsonObject): string | undefined {
  const parts = (name: string): string =>
    listAt(item, name)
      .flatMap((part) => wordAt(part, "text") ?? [])
      .join("\n\n");
  const text = parts("summary") || parts("content");
  return text === "" ? undefined : text;
}

/** Returns the name of a tool, with its namespace. */
export function toolOf(item: JsonObject): string {
  const name = wordAt(item, "name") ?? "unknown";
  const space = wordAt(item, "namespace");
  if (space === undefined || space === "functions" || name.startsWith(space)) return name;
  return space.endsWith("__") ? `${space}${name}` : `${space}__${name}`;
}
