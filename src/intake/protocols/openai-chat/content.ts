// Reads the content of chat messages: a string, or a list of parts of many kinds. Texts are joined, and
// anything else becomes an attachment of the run.
import { canonicalText } from "../../../base/json/canonical.js";
import { isObject, type JsonValue } from "../../../base/json/value.js";
import { appendAll } from "../../../base/lists.js";
import type { Coverage } from "../../coverage.js";
import { textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";

/** The text of a content, by its voice. */
export interface ChatContent {
  text: string;
  thought: string;
  refusal: string;
}

/** Stores bytes that came with a message, and returns their name among the inputs. */
export type Attach = (bytes: Buffer, kind: string) => string;

export function chatContent(content: JsonValue | undefined, attach: Attach, coverage: Coverage): ChatContent {
  if (typeof content === "string") return { text: content, thought: "", refusal: "" };
  if (content === undefined || content === null) return { text: "", thought: "", refusal: "" };
  if (!Array.isArray(content)) return { text: valueText(content), thought: "", refusal: "" };
  const texts: string[] = [];
  const thoughts: string[] = [];
  const refusals: string[] = [];
  for (const part of content) {
    const kind = textAt(part, "type");
    if (kind === "refusal") refusals.push(textAt(part, "refusal") ?? "");
    else if (kind === "thinking" || kind === "reasoning") thoughts.push(thoughtOf(part));
    else appendAll(texts, partText(part, kind, attach, coverage));
  }
  return { text: joined(texts), thought: joined(thoughts), refusal: joined(refusals) };
}

export function attachTo(builder: RunBuilder): Attach {
  return (bytes, kind) => {
    return builder.files.attach(extensionOf(kind), bytes);
  };
}

/** Returns a value as text: a string as it is, anything else as JSON. */
export function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : canonicalText(value);
}

export function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

/** Returns the bytes of a `data:` address, and their media type. */
export function dataOf(address: string): { bytes: Buffer; kind: string } | undefined {
  const head = /^data:([^;,]*)((?:;[^;,]*)*),/i.exec(address);
  if (head === null) return undefined;
  const [{ length }, kind = "", options = ""] = head;
  const data = address.slice(length);
  if (/;base64/i.test(options)) return { bytes: Buffer.from(data, "base64"), kind };
  try {
    return { bytes: Buffer.from(decodeURIComponent(data)), kind };
  } catch {
    return { bytes: Buffer.from(data), kind };
  }
}

function partText(
  part: JsonValue,
  kind: string | undefined,
  attach: Attach,
  coverage: Coverage,
): readonly string[] {
  if (typeof part === "string") return [part];
  const text = textAt(part, "text");
  if (text !== undefined) return [text];
  if (kind === "image_url") {
    const address = textAt(part, "image_url", "url") ?? textAt(part, "image_url");
    return address === undefined ? [] : [linked(address, attach)];
  }
  if (kind === "input_audio") {
    const data = textAt(part, "input_audio", "data");
    if (data === undefined) return [];
    const name = attach(Buffer.from(data, "base64"), textAt(part, "input_audio", "format") ?? "");
    return [`[${name}]`];
  }
  if (kind === "file") return fileText(part, attach);
  coverage.skip(`content of type ${kind ?? "unknown"}`);
  return [];
}

function fileText(part: JsonValue, attach: Attach): readonly string[] {
  const name = wordAt(part, "file", "filename");
  const data = textAt(part, "file", "file_data");
  if (data !== undefined) {
    const { bytes, kind } = dataOf(data) ?? { bytes: Buffer.from(data, "base64"), kind: "" };
    const attached = attach(bytes, kind === "" ? (name ?? "") : kind);
    return [name === undefined ? `[${attached}]` : `[${attached}: ${name}]`];
  }
  const known = name ?? wordAt(part, "file", "file_id");
  return known === undefined ? [] : [`[file ${known}]`];
}

/** Returns the text that stands for something else: the name under which it is stored, or its address. */
export function linked(address: string, attach: Attach): string {
  const data = dataOf(address);
  return `[${data === undefined ? address : attach(data.bytes, data.kind)}]`;
}

function thoughtOf(part: JsonValue): string {
  const thought = ["thinking", "reasoning", "text", "content"]
    .map((key) => valueAt(part, key))
    .find((value) => typeof value === "string");
  return typeof thought === "string" ? thought : "";
}

/** Returns a file extension, by a media type, another file's name, or a word such as "wav". */
function extensionOf(kind: string): string {
  const word = /([a-z0-9]{1,20})(?:\+[a-z]{1,20})?$/.exec(kind.slice(-60).toLowerCase())?.[1] ?? "bin";
  if (word === "jpeg") return "jpg";
  if (word === "plain") return "txt";
  return word === "stream" || word.length > 10 ? "bin" : word;
}

/** Returns the names of the tools that a request offers. */
export function toolNames(tools: JsonValue | undefined): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    if (typeof tool === "string") return [tool];
    if (!isObject(tool)) return [];
    const name = wordAt(tool, "function", "name") ?? wordAt(tool, "name") ?? wordAt(tool, "custom", "name");
    return name === undefined ? [] : [name];
  });
}
