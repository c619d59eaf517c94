// Fast path for small, plainly written objects: JSON.parse, accepted only if serialising again returns the
// same text. Anything else is left to the strict reader, which also reports what is wrong.
import type { JsonObject } from "./value.js";

/** Longer objects are better read value by value. */
const longest = 1024;
const deepest = 20;
/** The engine may round longer numbers. */
const mostDigits = 15;

export class QuickObjects {
  /** The offset after the object that was read last. */
  end = 0;

  /** Returns the object that begins at `start`, if it is short, ASCII and without spaces. */
  at(bytes: Buffer, start: number): JsonObject | undefined {
    const end = endOf(bytes, start);
    if (end === undefined) return undefined;
    const text = bytes.toString("latin1", start, end);
    try {
      const value = JSON.parse(text) as JsonObject;
      // Serialised again it is the same: no digit, key, space or escape was lost.
      if (JSON.stringify(value) !== text) return undefined;
      this.end = end;
      return value;
    } catch {
      return undefined;
    }
  }
}

/** Returns the offset after the bracket that closes the value at `start`. */
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

/**
 * Returns the offset of the closing quote; undefined for text that is not ASCII or has escapes of four
 * digits, which the strict reader handles.
 */
function quoteAfter(bytes: Buffer, quote: number, last: number): number | undefined {
  for (let at = quote + 1; at < last; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x22) return at;
    if (byte < 0x20 || byte > 0x7e) return undefined;
    if (byte === 0x5c && bytes[++at] === 0x75) return undefined;
  }
  return undefined;
}
