// JSON for people who edit it: one member per line, keys in their original order, no characters that control
// a terminal. Written by hand because JSON.stringify cannot write integers past 2^53.
import { canonicalText } from "./canonical.js";
import { ExactInteger, type JsonValue } from "./value.js";
import { printableJson } from "../printable.js";

const chunkSize = 1 << 16;
const plain = /^[\x20-\x7e\n]*$/;

/** Returns the document as bytes, with a line feed at the end. */
export function prettyBytes(value: JsonValue): Buffer {
  const chunks: Buffer[] = [];
  const writer = {
    text: "",
    end: () => {
      const { text } = writer;
      // Every line feed is from this writer: those in texts are escaped.
      chunks.push(Buffer.from(plain.test(text) ? text : text.split("\n").map(printableJson).join("\n")));
      writer.text = "";
    },
  };
  write(value, "\n", writer);
  writer.text += "\n";
  writer.end();
  return Buffer.concat(chunks);
}

/** Writes a value. `line` is a line feed and the indentation of the enclosing value. */
function write(value: JsonValue, line: string, writer: { text: string; end(): void }): void {
  if (typeof value !== "object" || value === null || value instanceof ExactInteger) {
    writer.text += canonicalText(value);
    return;
  }
  const inner = `${line}  `;
  let isFirst = true;
  if (Array.isArray(value)) {
    for (const item of value) {
      writer.text += (isFirst ? "[" : ",") + inner;
      isFirst = false;
      write(item, inner, writer);
    }
    writer.text += isFirst ? "[]" : `${line}]`;
  } else {
    for (const key of Object.keys(value)) {
      writer.text += `${isFirst ? "{" : ","}${inner}${JSON.stringify(key)}: `;
      isFirst = false;
      write(value[key] as JsonValue, inner, writer);
    }
    writer.text += isFirst ? "{}" : `${line}}`;
  }
  if (writer.text.length > chunkSize) writer.end();
}
