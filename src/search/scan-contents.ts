// Searches contents of a store for a pattern: the part that every thread runs. Each content is checked against its
// name, so a damaged one is an error, never a line that is missing.
import { isUtf8 } from "node:buffer";
import { CtxError } from "../base/errors.js";
import { readObject, readObjectQuickly } from "../store/objects.js";
import type { FoundText } from "./finder.js";
import type { Matcher } from "./matcher.js";
import { type Line, lineFeed, SearchedText } from "./text-lines.js";

/** A line that matches, as it is reported. */
export interface FoundLine {
  /** From 1; 0 for a content that is not text. */
  line: number;
  /** In characters, from 1. */
  column: number;
  /** The line, or what is around the match in a long one. */
  text: string;
  /** Where the match is in `text`. */
  match: { at: number; length: number };
  /** Whether `text` is not the whole line. */
  isCut?: true;
  /** The content is not text: nothing of it is shown. */
  isBinary?: true;
  before?: string[];
  after?: string[];
}

export interface ContentHits {
  hits: FoundLine[];
  /** Whether there are more than were asked for. */
  hasMore: boolean;
}

export interface LineLimits {
  /** How many lines before and after a hit are reported. */
  context: number;
  /** How many hits of a content are reported at most. */
  most: number;
}

/** What a search found in a content: nothing, some hits, or why the content cannot be read. */
export type ScanOutcome = ContentHits | { code: CtxError["code"]; message: string } | undefined;

/** Reads contents one after the other, and searches each. */
export class ContentScanner {
  readonly #root: string;
  readonly #matcher: Matcher;
  readonly #limits: LineLimits;
  /** Where small contents are read to. */
  readonly #room = Buffer.allocUnsafeSlow(1 << 18);
  /** How many bytes were read. */
  bytes = 0;

  constructor(root: string, matcher: Matcher, limits: LineLimits) {
    this.#root = root;
    this.#matcher = matcher;
    this.#limits = limits;
  }

  scan(hex: string): ScanOutcome {
    try {
      const bytes = readObjectQuickly(this.#root, hex, this.#room) ?? readObject(this.#root, hex);
      this.bytes += bytes.length;
      const found = scanBytes(bytes, this.#matcher, this.#limits);
      return found.hits.length === 0 ? undefined : found;
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      return { code: error.code, message: error.message };
    }
  }
}

/** Searches some bytes. */
export function scanBytes(bytes: Buffer, matcher: Matcher, { context, most }: LineLimits): ContentHits {
  const hits: FoundLine[] = [];
  let hasMore = false;
  let isBinary: boolean | undefined;
  const text = new SearchedText(bytes);
  matcher.matches(text, (line, found) => {
    isBinary ??= isNotText(bytes);
    if (hits.length >= most) {
      hasMore = true;
      return false;
    }
    hits.push(isBinary ? binaryHit : describe(text, line, found, context));
    return !isBinary;
  });
  return { hits, hasMore };
}

const binaryHit: FoundLine = { line: 0, column: 0, text: "", match: { at: 0, length: 0 }, isBinary: true };

/** How many bytes are looked at, as git does. */
const sniffed = 8000;

function isNotText(bytes: Buffer): boolean {
  return bytes.subarray(0, sniffed).includes(0);
}

/** How many bytes of a line are reported before a match, and in all. */
const lead = 400;
const longest = 2000;

function describe(
  text: SearchedText,
  { line, from, to }: Line,
  { start, end }: FoundText,
  context: number,
): FoundLine {
  const { bytes } = text;
  const isLong = to - from > longest;
  const cutFrom = isLong ? characterStart(bytes, Math.max(from, start - lead), from) : from;
  const cutTo = isLong ? characterStart(bytes, Math.min(to, cutFrom + longest), from) : to;
  const shownEnd = Math.max(start, Math.min(end, cutTo));
  const found: FoundLine = {
    line,
    column: countCharacters(text, from, start) + 1,
    text: text.slice(cutFrom, cutTo),
    match: {
      at: text.isAscii ? start - cutFrom : text.slice(cutFrom, start).length,
      length: text.isAscii ? shownEnd - start : text.slice(start, shownEnd).length,
    },
  };
  if (cutFrom > from || cutTo < to) found.isCut = true;
  if (context > 0) {
    found.before = linesBefore(text, from, context);
    found.after = linesAfter(text, bytes.indexOf(lineFeed, to), context);
  }
  return found;
}

/** Returns the offset of the character that an offset is in, but none before `least`. */
function characterStart(bytes: Buffer, offset: number, least: number): number {
  let at = offset;
  while (at > least && offset - at < 3 && isContinuation(bytes[at])) at--;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Returns how many characters begin between two offsets, as many as are shown. */
function countCharacters(text: SearchedText, from: number, to: number): number {
  if (text.isAscii) return to - from;
  let count = 0;
  for (let at = from; at < to; ) {
    const piece = text.bytes.subarray(
      at,
      at + countedAtOnce < to ? characterStart(text.bytes, at + countedAtOnce, at + 1) : to,
    );
    // In bytes that are not UTF-8, a replacement character is shown for each that fits nowhere.
    if (isUtf8(piece)) for (const byte of piece) count += isContinuation(byte) ? 0 : 1;
    else for (const _ of piece.toString("utf8")) count++;
    at += piece.length;
  }
  return count;
}

const countedAtOnce = 1 << 16;

function linesBefore(text: SearchedText, from: number, count: number): string[] {
  const lines: string[] = [];
  for (let end = from; end > 0 && lines.length < count; ) {
    const begin = end < 2 ? 0 : text.bytes.lastIndexOf(lineFeed, end - 2) + 1;
    lines.push(contextLine(text, begin, end - 1));
    end = begin;
  }
  return lines.reverse();
}

/** `from`: the line feed before them; -1 if there is none. */
function linesAfter(text: SearchedText, from: number, count: number): string[] {
  const { bytes } = text;
  const lines: string[] = [];
  for (let at = from; at !== -1 && at + 1 < bytes.length && lines.length < count; ) {
    const next = bytes.indexOf(lineFeed, at + 1);
    lines.push(contextLine(text, at + 1, next === -1 ? bytes.length : next));
    at = next;
  }
  return lines;
}

function contextLine(text: SearchedText, from: number, to: number): string {
  const end = to - from > longest ? characterStart(text.bytes, from + longest, from) : to;
  return text.slice(from, end).replace(/\r$/, "");
}
