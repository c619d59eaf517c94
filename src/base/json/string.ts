// Decodes one JSON string in place. A decoded string is never longer than its written form, so its UTF-8
// bytes fit where the escapes were: a log of any size needs no second copy.

export interface Decoded {
  /** The range of the decoded bytes. If `error` is set, `end` is the offset of the error. */
  start: number;
  end: number;
  /** The offset after the closing quote. */
  next: number;
  loneSurrogate: boolean;
  /** Whether canonical JSON would write the string in exactly this way. */
  isCanonical: boolean;
  error?: string;
}

/** Decodes the string whose opening quote is at `quote`. */
export function decodeString(bytes: Buffer, quote: number): Decoded {
  const start = quote + 1;
  let from = start;
  let length = bytes.length;
  // Up to the first escape nothing moves.
  for (; from < length; from++) {
    const byte = bytes[from] as number;
    if (byte === 0x22) return { start, end: from, next: from + 1, loneSurrogate: false, isCanonical: true };
    if (byte === 0x5c) break;
    if (byte < 0x20) return failed(start, from, controlCharacter);
  }
  let to = from;
  let loneSurrogate = false;
  let isCanonical = true;
  while (from < length) {
    const byte = bytes[from] as number;
    if (byte === 0x22) return { start, end: to, next: from + 1, loneSurrogate, isCanonical };
    if (byte !== 0x5c) {
      if (byte < 0x20) return failed(start, from, controlCharacter);
      bytes[to++] = byte;
      from++;
      continue;
    }
    const escape = bytes[from + 1];
    const simple = escape === undefined ? 0 : (simpleEscapes[escape] as number);
    if (simple !== 0) {
      if (simple === 0x2f) isCanonical = false;
      bytes[to++] = simple;
      from += 2;
      continue;
    }
    let code = escape === 0x75 ? hex4(bytes, from + 2) : -1;
    if (code < 0) return failed(start, from, "an unknown escape in a string");
    isCanonical &&= isNeeded(code, bytes[from + 5] as number);
    from += 6;
    if (code >= 0xd800 && code <= 0xdfff) {
      const low =
        code < 0xdc00 && bytes[from] === 0x5c && bytes[from + 1] === 0x75 ? hex4(bytes, from + 2) : -1;
      if (low >= 0xdc00 && low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        from += 6;
      } else {
        loneSurrogate = true;
        code = 0xfffd;
      }
    }
    to = putUtf8(bytes, to, code);
  }
  return failed(start, bytes.length, "the document ends inside a string");
}

const controlCharacter = "a control character in a string must be escaped";

function failed(start: number, end: number, error: string): Decoded {
  return { start, end, next: end, loneSurrogate: false, isCanonical: false, error };
}

/**
 * Returns whether canonical JSON needs this escape: it writes \uXXXX for control characters that have no
 * short escape, with lower-case digits.
 */
function isNeeded(code: number, lastDigit: number): boolean {
  const hasShortEscape = code >= 0x08 && code <= 0x0d && code !== 0x0b;
  return code < 0x20 && !hasShortEscape && !(lastDigit >= 0x41 && lastDigit <= 0x46);
}

const simpleEscapes = new Uint8Array(256);
for (const pair of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"])
  simpleEscapes[pair.charCodeAt(0)] = pair.charCodeAt(1);

function hex4(bytes: Buffer, at: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index++) {
    const byte = bytes[index] ?? 0;
    const digit =
      byte >= 0x30 && byte <= 0x39
        ? byte - 0x30
        : byte >= 0x61 && byte <= 0x66
          ? byte - 0x57
          : byte >= 0x41 && byte <= 0x46
            ? byte - 0x37
            : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function putUtf8(bytes: Buffer, at: number, code: number): number {
  if (code < 0x80) {
    bytes[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    bytes[at] = 0xc0 | (code >> 6);
    bytes[at + 1] = 0x80 | (code & 0x3f);
    return at + 2;
  }
  if (code < 0x10000) {
    bytes[at] = 0xe0 | (code >> 12);
    bytes[at + 1] = 0x80 | ((code >> 6) & 0x3f);
    bytes[at + 2] = 0x80 | (code & 0x3f);
    return at + 3;
  }
  bytes[at] = 0xf0 | (code >> 18);
  bytes[at + 1] = 0x80 | ((code >> 12) & 0x3f);
  bytes[at + 2] = 0x80 | ((code >> 6) & 0x3f);
  bytes[at + 3] = 0x80 | (code & 0x3f);
  return at + 4;
}
