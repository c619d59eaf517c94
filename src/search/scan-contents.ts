// Searches contents of a store for a pattern: the part that every thread runs. Each content is checked against its
// name, so a damaged one is an error, never a line that is missing.
import { CtxError } from "../base/errors.js";
import { readObject } from "../store/objects.js";
import type { LineMatch, Matcher } from "./matcher.js";

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

/** Searches one content of a store. */
export function scanContent(root: string, hex: string, matcher: Matcher, options: LineLimits): ScanOutcome {
  try {
    const found = scanBytes(readObject(root, hex), matcher, options);
    return found.hits.length === 0 ? undefined : found;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** Searches some bytes. */
export function scanBytes(bytes: Buffer, matcher: Matcher, { context, most }: LineLimits): ContentHits {
  const hits: FoundLine[] = [];
  const isBinary = isNotText(bytes);
  for (const match of matcher.matches(bytes)) {
    if (hits.length === most) return { hits, hasMore: true };
    hits.push(isBinary ? binaryHit : describe(bytes, match, context));
    if (isBinary) break;
  }
  return { hits, hasMore: false };
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

function describe(bytes: Buffer, { line, from, to, start, end }: LineMatch, context: number): FoundLine {
  const isLong = to - from > longest;
  const cutFrom = isLong ? characterStart(bytes, Math.max(from, start - lead)) : from;
  const cutTo = isLong ? characterStart(bytes, Math.min(to, cutFrom + longest)) : to;
  const before = bytes.toString("utf8", cutFrom, start);
  const shownEnd = Math.min(end, cutTo);
  const found: FoundLine = {
    line,
    column: countCharacters(bytes, from, start) + 1,
    text: bytes.toString("utf8", cutFrom, cutTo),
    match: { at: before.length, length: bytes.toString("utf8", start, shownEnd).length },
  };
  if (cutFrom > from || cutTo < to) found.isCut = true;
  if (context > 0) {
    found.before = linesBefore(bytes, from, context);
    found.after = linesAfter(bytes, bytes.indexOf(lineFeed, to), context);
  }
  return found;
}

/** Returns the offset of the character that an offset is in. */
function characterStart(bytes: Buffer, offset: number): number {
  let at = offset;
  while (at > 0 && offset - at < 3 && isContinuation(bytes[at])) at--;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function countCharacters(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (!isContinuation(bytes[at])) count++;
  return count;
}

const lineFeed = 0x0a;

function linesBefore(bytes: Buffer, from: number, count: number): string[] {
  const lines: string[] = [];
  for (let end = from; end > 0 && lines.length < count; ) {
    const begin = end < 2 ? 0 : bytes.lastIndexOf(lineFeed, end - 2) + 1;
    lines.unshift(contextLine(bytes, begin, end - 1));
    end = begin;
  }
  return lines;
}

/** `from`: the line feed before them; -1 if there is none. */
function linesAfter(bytes: Buffer, from: number, count: number): string[] {
  const lines: string[] = [];
  for (let at = from; at !== -1 && at + 1 < bytes.length && lines.length < count; ) {
    const next = bytes.indexOf(lineFeed, at + 1);
    lines.push(contextLine(bytes, at + 1, next === -1 ? bytes.length : next));
    at = next;
  }
  return lines;
}

function contextLine(bytes: Buffer, from: number, to: number): string {
  const end = Math.min(to, characterStart(bytes, Math.min(to, from + longest)));
  return bytes.toString("utf8", from, end).replace(/\r$/, "");
}
