// Content as chat messages hold it: a text, or a list of parts of many kinds. Texts are put together, and what is no text
// becomes an attachment of the run.
import { canonicalText } from "../../../base/json/canonical.js";
import { isObject, type JsonValue } from "../../../base/json/value.js";
import { appendAll } from "../../../base/lists.js";
import type { Coverage } from "../../coverage.js";
import { textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";

/** What a content says, by the voice in which it says it. */
export interface Said {
  text: string;
  thought: string;
  refusal: string;
}

/** Keeps bytes that came along with a message, and gives the name that they have among the inputs. */
export type Attach = (bytes: Buffer, kind: string) => string;

export function said(content: JsonValue | undefined, attach: Attach, coverage: Coverage): Said {
  if (typeof content === "string") return { text: content, thought: "", refusal: "" };
  if (content === undefined || content === null) return { text: "", thought: "", refusal: "" };
  if (!Array.isArray(content)) return { text: textOf(content), thought: "", refusal: "" };
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

/** A value as text: a text is itself, anything else is JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : canonicalText(value);
}

export function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

/** The bytes of a `data:` address, and of what kind they are. */
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

/** What stands in the text for something that is not text: the name that it is kept under, or its address. */
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

/** The end of a file's name, by a media type, another file's name, or a word such as "wav". */
function extensionOf(kind: string): string {
  const word = /([a-z0-9]{1,20})(?:\+[a-z]{1,20})?$/.exec(kind.slice(-60).toLowerCase())?.[1] ?? "bin";
  if (word === "jpeg") return "jpg";
  if (word === "plain") return "txt";
  return word === "stream" || word.length > 10 ? "bin" : word;
}

/** The names of the tools that a request offers. */
export function toolNames(tools: JsonValue | undefined): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    if (typeof tool === "string") return [tool];
    if (!isObject(tool)) return [];
    const name = wordAt(tool, "function", "name") ?? wordAt(tool, "name") ?? wordAt(tool, "custom", "name");
    return name === undefined ? [] : [name];
  });
}
