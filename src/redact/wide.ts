// Reads text with zero bytes between its characters, as in UTF-16 and UTF-32, without those zeros. This finds
// secrets in any mixture of encodings: plain text behind a byte order mark, UTF-16 behind plain text, or
// UTF-16 that lost a byte.
import type { Match } from "./matches.js";

/** A text without the zeros between its characters. */
export interface Narrowed {
  text: string;
  /** Position of each character in the original text, and at the end the length of that text. */
  positions: Uint32Array;
}

/**
 * Removes zeros between characters; returns undefined if there are none. A lone zero, as between the entries
 * of `env -0`, stays; so do the few that any binary data has, because the text is then scanned a second time.
 */
export function narrowed(text: string): Narrowed | undefined {
  if (!hasWideText(text)) return undefined;
  const codes = new Uint16Array(text.length);
  const positions = new Uint32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0 && hasZeroNear(text, at)) continue;
    codes[length] = code;
    positions[length++] = at;
  }
  if (length === text.length) return undefined;
  positions[length] = text.length;
  const bytes = Buffer.from(codes.buffer, 0, length * 2);
  return { text: bytes.toString("utf16le"), positions: positions.subarray(0, length + 1) };
}

/** A secret is longer than this many characters, and as UTF-16 it has a zero beside each of them. */
const minZeros = 4;
const maxSpan = 64;

/** Returns whether zeros stand as close together anywhere as they do between the characters of a text. */
function hasWideText(text: string): boolean {
  // Nearly every text.
  if (!text.includes("\0")) return false;
  const recent = Array.from({ length: minZeros }, () => -Infinity);
  let count = 0;
  for (let at = text.indexOf("\0"); at !== -1; at = text.indexOf("\0", at + 1)) {
    if (!hasZeroNear(text, at)) continue;
    if (at - (recent[count % minZeros] as number) <= maxSpan) return true;
    recent[count++ % minZeros] = at;
  }
  return false;
}

function hasZeroNear(text: string, at: number): boolean {
  return (
    text.charCodeAt(at - 2) === 0 ||
    text.charCodeAt(at - 1) === 0 ||
    text.charCodeAt(at + 1) === 0 ||
    text.charCodeAt(at + 2) === 0
  );
}

/** Maps matches back to the text with its zeros. */
export function mapBack(found: readonly Match[], { positions }: Narrowed): Match[] {
  const original = (at: number): number => positions[at] as number;
  return found.map(({ rule, secret, pieces, begin }) => ({
    rule,
    secret,
    pieces: pieces.map(({ from, to }) => ({ from: original(from), to: original(to) })),
    ...(begin === undefined ? {} : { begin: original(begin) }),
  }));
}

/** Spaces a placeholder with as many zeros as the replaced text has between its characters. */
export function widened(placeholder: string, replaced: string): string {
  if (!replaced.includes("\0")) return placeholder;
  const zeros = replaced.split("\0").length - 1;
  const width = Math.round(replaced.length / Math.max(1, replaced.length - zeros));
  if (width < 2) return placeholder;
  const wide = placeholder.split("").join("\0".repeat(width - 1));
  return wide + (/\0*$/.exec(replaced.slice(-width))?.[0] ?? "");
}

/** Characters that no text contains, except those of terminals. */
const control = /[\x00-\x06\x0e-\x1a\x1c-\x1f]/g;
/**
 * The same for UTF-16, where any two bytes are a character: also lone surrogates and unassigned characters.
 * A function, because V8 needs a third of a millisecond to look up these classes, and few runs contain
 * UTF-16.
 */
const strange = (): RegExp => /[\x00-\x06\x0e-\x1a\x1c-\x1f\p{Cn}\p{Co}\p{Cs}]/gu;

/** Size of a block that is judged by itself: binary data in a file is not outweighed by the rest of it. */
const blockSize = 4096;

/** Returns whether a text is text throughout, except for an occasional control character. */
export function isAllText(text: string, isWide = false): boolean {
  const pattern = isWide ? strange() : control;
  // Nearly all texts contain none.
  if (text.search(pattern) === -1) return true;
  for (let at = 0; at < text.length; at += blockSize)
    if (!isMostlyText(text.slice(at, at + blockSize), pattern)) return false;
  return true;
}

function isMostlyText(text: string, pattern: RegExp): boolean {
  return (text.match(pattern)?.length ?? 0) <= 1 + text.length / 50;
}

/** How much text around a match is judged. */
const around = 256;

/** Returns whether a match is surrounded by text, not by binary data. */
export function isInText(text: string, { pieces }: Match): boolean {
  const from = (pieces[0]?.from ?? 0) - around;
  const to = (pieces.at(-1)?.to ?? 0) + around;
  return isMostlyText(text.slice(Math.max(0, from), to), control);
}
