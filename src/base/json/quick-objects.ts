// A short cut for small objects in JSON that are plainly written: the engine's own parser, and proof that nothing was lost on the way.
// Whatever it is not sure of is left to the strict reader, which also says what is wrong.
import type { JsonObject } from "./value.js";

/** Longer ones are better read value by value. */
const longest = 1024;
const deepest = 20;
/** Longer numbers may be ones that the engine rounds. */
const mostDigits = 15;

export class QuickObjects {
  /** Where what was read last ends. */
  end = 0;

  /** The object that begins here, if it is short, ASCII and without spaces. */
  at(bytes: Buffer, start: number): JsonObject | undefined {
    const end = endOf(bytes, start);
    if (end === undefined) return undefined;
    const text = bytes.toString("latin1", start, end);
    try {
      const value = JSON.parse(text) as JsonObject;
      // Written again it is the same: no digit, key, space or escape was lost.
      if (JSON.stringify(value) !== text) return undefined;
      this.end = end;
      return value;
    } catch {
      return undefined;
    }
  }
}

/** Behind the bracket that closes what begins here. */
function endOf(bytes: Buffer, start: number): number | undefined {
  const last = Math.min(start + longest, bytes.length);
  let depth = 0;
  let digits = 0;
  for (let at = start; at < last; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x22) {
      const quote = quoteAfter(bytes, at, last);
      if (quote === undefined) return undefined;
      at = quote;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) return undefined;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (--depth === 0) return at + 1;
    }
    digits = byte >= 0x30 && byte <= 0x39 ? digits + 1 : 0;
    if (digits > mostDigits) return undefined;
  }
  return undefined;
}

/** The quote that closes a text. One that is not ASCII, or has escapes of four digits, is for the strict reader. */
function quoteAfter(bytes: Buffer, quote: number, last: number): number | undefined {
  for (let at = quote + 1; at < last; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x22) return at;
    if (byte < 0x20 || byte > 0x7e) return undefined;
    if (byte === 0x5c && bytes[++at] === 0x75) return undefined;
  }
  return undefined;
}
