// Canonical JSON: RFC 8785, with integers past 2^53 written digit by digit. Written by hand because every library
// rounds those integers; it gives bytes, not a string, so that a manifest may be larger than a string can be.
import { ExactInteger } from "./json.js";

const chunkSize = 1 << 16;

/** The canonical form of a JSON value. Members that are undefined are left out; what is not JSON throws. */
export function canonicalBytes(value: unknown): Buffer {
  const chunks: Buffer[] = [];
  let text = "";
  write(value);
  chunks.push(Buffer.from(text, "utf8"));
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);

  function write(item: unknown): void {
    if (Array.isArray(item)) {
      text += "[";
      for (let index = 0; index < item.length; index++) {
        if (index > 0) text += ",";
        write(item[index]);
      }
      text += "]";
    } else if (typeof item === "object" && item !== null && !(item instanceof ExactInteger)) {
      writeObject(item as Record<string, unknown>);
    } else {
      text += scalar(item);
    }
    if (text.length > chunkSize) {
      chunks.push(Buffer.from(text, "utf8"));
      text = "";
    }
  }

  function writeObject(object: Record<string, unknown>): void {
    text += "{";
    let first = true;
    // The default order of sort() is that of UTF-16 code units, which is the one the RFC asks for.
    for (const key of Object.keys(object).sort()) {
      const member = object[key];
      if (member === undefined) continue;
      text += first ? `${JSON.stringify(key)}:` : `,${JSON.stringify(key)}:`;
      first = false;
      write(member);
    }
    text += "}";
  }
}

/** The canonical form of an object whose members are in canonical form already. */
export function canonicalObject(members: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  for (const key of [...members.keys()].sort())
    parts.push(
      Buffer.from(`${parts.length === 0 ? "{" : ","}${JSON.stringify(key)}:`),
      members.get(key) as Buffer,
    );
  parts.push(Buffer.from(parts.length === 0 ? "{}" : "}"));
  return Buffer.concat(parts);
}

/** The canonical form as a string, for values that are small. */
export function canonicalText(value: unknown): string {
  return canonicalBytes(value).toString("utf8");
}

function scalar(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value === 0) return "0";
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof ExactInteger) return value.digits;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw new TypeError(`a ${typeof value} is not JSON`);
}
