// Finds where invalid UTF-8 begins, for an error message; Node only reports whether there is any.

/** Returns the offset of the first byte that is not part of a valid character; the length if all are. */
function firstInvalidUtf8(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const size = characterSize(bytes, at);
    if (size === 0) return at;
    at += size;
  }
  return at;
}

/**
 * Returns the length of the character at `at`, 0 if there is none. The bounds are those of the Unicode
 * standard, table 3-7.
 */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  if (first >= 0xc2 && first <= 0xdf) return continues(second) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const low = first === 0xe0 ? 0xa0 : 0x80;
    const high = first === 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && continues(bytes[at + 2]) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const low = first === 0xf0 ? 0x90 : 0x80;
    const high = first === 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high && continues(bytes[at + 2]) && continues(bytes[at + 3]) ? 4 : 0;
  }
  return 0;
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte <= 0xbf;
}

/** Describes the problem of bytes that are not UTF-8, and its offset. */
export function utf8Problem(bytes: Buffer): [message: string, offset: number] {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return ["the document is UTF-16, not UTF-8", 0];
  return ["the document is not valid UTF-8", firstInvalidUtf8(bytes)];
}
