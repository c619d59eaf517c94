// Content in a log: text, base64 or a separate file. Text and base64 become views into the log's own bytes.
import type { JsonReader } from "../base/json/reader.js";

/** The name and size of a stored content. */
export interface StoredContent {
  hex: string;
  size: number;
}

/** Bytes in memory, or the path of a file below the log's folder, with the line of the log that names it. */
export type UnstoredContent = { bytes: Buffer } | { file: string; line: number };

/** Content of a log; stored already if it was read before the log was complete. */
export type Content = UnstoredContent | { stored: StoredContent };

/** Bytes in a log, as a position and a length only: a long run has a million of them. */
export class BytesInLog {
  readonly log: Buffer;
  readonly from: number;
  readonly length: number;

  constructor(log: Buffer, from: number, length: number) {
    this.log = log;
    this.from = from;
    this.length = length;
  }

  get bytes(): Buffer {
    return this.log.subarray(this.from, this.from + this.length);
  }
}

/** Reads the content that a key with this suffix (`""`, `_base64` or `_file`) holds. */
export function readContent(at: JsonReader, suffix: string): Content | undefined {
  if (suffix === "_file") return { file: at.string(), line: at.line() };
  if (suffix === "") {
    const { log, from, length } = at.place();
    return new BytesInLog(log, from, length);
  }
  const bytes = at.text();
  const length = decodeBase64(bytes);
  if (length >= 0) return { bytes: bytes.subarray(0, length) };
  at.problem("must be base64 (RFC 4648 section 4): padded, without white space");
  return undefined;
}

/**
 * The JSON Schema of the value of a key, by its suffix. Patterns are simple: they must work on large texts.
 */
export const contentSchemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "": { type: "string" },
  _base64: { type: "string", contentEncoding: "base64", pattern: "^[A-Za-z0-9+/]*={0,2}$" },
  _file: { type: "string", minLength: 1, not: { pattern: "\\u0000|^/|(^|/)\\.\\.(/|$)" } },
};

const pieceSize = 4 << 18;

/** Decodes base64 in place and returns the decoded length, or -1 if an encoder would not have written it. */
function decodeBase64(bytes: Buffer): number {
  if (bytes.length % 4 !== 0) return -1;
  let length = 0;
  for (let from = 0; from < bytes.length; from += pieceSize) {
    const text = bytes.toString("latin1", from, Math.min(from + pieceSize, bytes.length));
    const decoded = Buffer.from(text, "base64");
    if (decoded.toString("base64") !== text) return -1;
    length += decoded.copy(bytes, length);
  }
  return length;
}
