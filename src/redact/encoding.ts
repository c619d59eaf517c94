// Reads the bytes of a content as text, so that it can be scanned and redacted in any encoding: UTF-8;
// UTF-16, recognized by its byte order mark, by the zero bytes of ASCII letters, or by the one high byte that
// all letters of a script share; anything else as Latin-1, which has a character for each byte. Decoding and
// encoding again yields the same bytes.
import { isUtf8 } from "node:buffer";
import { decoded, isText } from "./windows.js";

export type Encoding = "utf8" | "utf16le" | "utf16be" | "latin1";

/** How much of a content is examined for UTF-16. */
const headSize = 4096;

export function encodingOf(bytes: Buffer): Encoding {
  const mayBeWide = (bytes[0] ?? 0) >= 0xfe || bytes.includes(0);
  return (mayBeWide ? wideEncoding(bytes) : undefined) ?? (isUtf8(bytes) ? "utf8" : "latin1");
}

/** Determines the encoding of bytes in pieces, which it reads through once. */
export function encodingOfPieces(pieces: Iterable<Buffer>): Encoding {
  const head: Buffer[] = [];
  let size = 0;
  for (const piece of pieces) {
    // A piece is only valid until the next one.
    head.push(Buffer.from(piece.subarray(0, headSize)));
    if ((size += piece.length) >= headSize) break;
  }
  return wideEncoding(Buffer.concat(head)) ?? (isText(pieces) ? "utf8" : "latin1");
}

function wideEncoding(bytes: Buffer): "utf16le" | "utf16be" | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe && !(bytes[2] === 0 && bytes[3] === 0)) return "utf16le";
  if (first === 0xfe && second === 0xff) return "utf16be";
  const head = bytes.subarray(0, headSize);
  const half = head.length >> 1;
  if (half < 8) return undefined;
  const zeros = [0, 0] as [number, number];
  for (let at = 0; at < half * 2; at++) if (head[at] === 0) zeros[at % 2 === 0 ? 0 : 1]++;
  const [even, odd] = zeros.map((count) => count / half) as [number, number];
  if (odd >= many && even <= few) return "utf16le";
  if (even >= many && odd <= few) return "utf16be";
  if (zeros[0] + zeros[1] === 0) return undefined;
  if (isScript(head, half, 1)) return "utf16le";
  return isScript(head, half, 0) ? "utf16be" : undefined;
}

/**
 * Returns whether every other byte, starting at `first`, is nearly always zero or one particular control
 * character, as in UTF-16 of one script with spaces and ASCII letters: 4 for Cyrillic, 6 for Arabic, 14 for
 * Thai.
 */
function isScript(head: Buffer, half: number, first: 0 | 1): boolean {
  const counts = new Uint32Array(256);
  const between = new Uint32Array(256);
  for (let at = 0; at < half * 2; at++) {
    const histogram = at % 2 === first ? counts : between;
    histogram[head[at] as number] = (histogram[head[at] as number] as number) + 1;
  }
  const highestCount = counts.subarray(1, 32).reduce((a, b) => Math.max(a, b), 0);
  const highestBetween = between.reduce((a, b) => Math.max(a, b), 0);
  return (
    highestCount >= half * 0.2 &&
    highestCount + (counts[0] as number) >= half * 0.85 &&
    highestBetween <= half * 0.5
  );
}

/**
 * Share of zero bytes at every other position of a mostly ASCII text in UTF-16, and at the positions between.
 */
const many = 0.4;
const few = 0.05;

/** Decodes bytes, without half a unit of UTF-16 at the end. */
export function decode(bytes: Buffer, encoding: Encoding): string {
  if (encoding === "utf8") return bytes.toString("utf8");
  if (encoding !== "utf16be") return bytes.toString(encoding, 0, wholeUnits(bytes, encoding));
  return Buffer.from(bytes.subarray(0, wholeUnits(bytes, encoding)))
    .swap16()
    .toString("utf16le");
}

export function encode(text: string, encoding: Encoding): Buffer {
  return encoding === "utf16be" ? Buffer.from(text, "utf16le").swap16() : Buffer.from(text, encoding);
}

/** Returns how many of the bytes form whole units of the encoding. */
export function wholeUnits({ length }: Buffer, encoding: Encoding): number {
  return encoding.startsWith("utf16") ? length - (length % 2) : length;
}

/** Decodes bytes in pieces; `onRest` receives the bytes at the end that form no whole unit. */
export function* decodedAs(
  pieces: Iterable<Buffer>,
  encoding: Encoding,
  onRest: (bytes: Buffer) => void = () => undefined,
): Generator<string> {
  if (encoding === "utf8") return yield* decoded(pieces);
  let rest = Buffer.alloc(0);
  for (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = wholeUnits(bytes, encoding);
    yield decode(bytes.subarray(0, whole), encoding);
    rest = Buffer.from(bytes.subarray(whole));
  }
  onRest(rest);
}

/** Decoded text that can be iterated only once. */
export interface OnePass {
  texts: Iterable<string>;
  /** Encoding of the text read last: a content may turn out not to be UTF-8 halfway through. */
  encoding: Encoding;
}

/** Decodes bytes that can be read only once: as UTF-8 until that fails, and from there on as Latin-1. */
export function decodedOnce(pieces: Iterable<Buffer>): OnePass {
  const pass: OnePass = { texts: [], encoding: "utf8" };
  pass.texts = textsOf(pieces, (encoding) => (pass.encoding = encoding));
  return pass;
}

function* textsOf(pieces: Iterable<Buffer>, note: (encoding: Encoding) => void): Generator<string> {
  let held = Buffer.alloc(0);
  let encoding: Encoding | undefined;
  const settle = (): Encoding => {
    const known = wideEncoding(held) ?? "utf8";
    note(known);
    return known;
  };
  for (const piece of pieces) {
    held = Buffer.concat([held, piece]);
    if (encoding === undefined && held.length < headSize) continue;
    encoding ??= settle();
    const end = encoding === "utf8" ? wholeCharacters(held) : wholeUnits(held, encoding);
    if (encoding === "utf8" && !isUtf8(held.subarray(0, end))) note((encoding = "latin1"));
    const to = encoding === "latin1" ? held.length : end;
    yield decode(held.subarray(0, to), encoding);
    held = Buffer.from(held.subarray(to));
  }
  encoding ??= settle();
  if (encoding === "utf8" && !isUtf8(held)) note((encoding = "latin1"));
  yield decode(held, encoding);
}

/** Returns how many of the bytes form whole UTF-8 characters, assuming that they are UTF-8. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

const pieceSize = 1 << 20;

export function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceSize) yield bytes.subarray(from, from + pieceSize);
}
