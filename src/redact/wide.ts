// Text with zero bytes between its characters, as UTF-16 and UTF-32 have them, read without those zeros. It finds secrets in any mixture
// of encodings: plain text behind a byte order mark, UTF-16 behind plain text, or UTF-16 that lost a byte.
import type { Found } from "./matches.js";

/** A text without the zeros between its characters. */
export interface Narrowed {
  text: string;
  /** Where each character stood, and at the end where the text ended. */
  places: Uint32Array;
}

/** Undefined where no zeros stand between characters. A lone zero, as between the entries of `env -0`, stays. */
export function narrowed(text: string): Narrowed | undefined {
  if (!text.includes("\0")) return undefined;
  const codes = new Uint16Array(text.length);
  const places = new Uint32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0 && hasZeroNear(text, at)) continue;
    codes[length] = code;
    places[length++] = at;
  }
  if (length === text.length) return undefined;
  places[length] = text.length;
  const bytes = Buffer.from(codes.buffer, 0, length * 2);
  return { text: bytes.toString("utf16le"), places: places.subarray(0, length + 1) };
}

function hasZeroNear(text: string, at: number): boolean {
  return (
    text.charCodeAt(at - 2) === 0 ||
    text.charCodeAt(at - 1) === 0 ||
    text.charCodeAt(at + 1) === 0 ||
    text.charCodeAt(at + 2) === 0
  );
}

/** The finds as they stand in the text with its zeros. */
export function moved(found: readonly Found[], { places }: Narrowed): Found[] {
  const place = (at: number): number => places[at] as number;
  return found.map(({ rule, secret, pieces, begin }) => ({
    rule,
    secret,
    pieces: pieces.map(({ from, to }) => ({ from: place(from), to: place(to) })),
    ...(begin === undefined ? {} : { begin: place(begin) }),
  }));
}

/** A placeholder with as many zeros between its characters as the text has that it replaces. */
export function widened(placeholder: string, replaced: string): string {
  if (!replaced.includes("\0")) return placeholder;
  const zeros = replaced.split("\0").length - 1;
  const width = Math.round(replaced.length / Math.max(1, replaced.length - zeros));
  if (width < 2) return placeholder;
  const wide = placeholder.split("").join("\0".repeat(width - 1));
  return wide + (/\0*$/.exec(replaced.slice(-width))?.[0] ?? "");
}

/** Characters that no text has; those of terminals are left out. */
const control = /[\x00-\x06\x0e-\x1a\x1c-\x1f]/g;
/** The same for UTF-16, where any two bytes are a character: also half ones, and those without a meaning. */
const strange = /[\x00-\x06\x0e-\x1a\x1c-\x1f\p{Cn}\p{Co}\p{Cs}]/gu;

/** So much is judged at once: what is no text in a file is not made up for by the rest of the file. */
const blockSize = 4096;

/** Whether all of it is text, but for a control character here and there. */
export function isAllText(text: string, isWide = false): boolean {
  const pattern = isWide ? strange : control;
  // Nearly all texts have none.
  if (text.search(pattern) === -1) return true;
  for (let at = 0; at < text.length; at += blockSize)
    if (!isMostlyText(text.slice(at, at + blockSize), pattern)) return false;
  return true;
}

function isMostlyText(text: string, pattern: RegExp): boolean {
  return (text.match(pattern)?.length ?? 0) <= 1 + text.length / 50;
}

/** How much around a find is judged. */
const around = 256;

/** Whether a find stands in text, and not among other bytes. */
export function standsInText(text: string, { pieces }: Found): boolean {
  const from = (pieces[0]?.from ?? 0) - around;
  const to = (pieces.at(-1)?.to ?? 0) + around;
  return isMostlyText(text.slice(Math.max(0, from), to), control);
}
