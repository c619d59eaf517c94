// Where the bytes of a log come from: a file, a pipe or memory. The beginning can be inspected before the log
// is read, and the log is read once, in pieces or by line, so that its size does not matter.
import { constants } from "node:buffer";
import { CtxError } from "../base/errors.js";

/** How many bytes are inspected to recognise a log. */
export const headSize = 1 << 20;
/** A longer record is skipped: parsing it would take several times this much memory. */
export const maxLine = 1 << 27;

/** A document that is one value may be as long as a string can be; it is held in memory anyway. */
export const maxDocument = constants.MAX_STRING_LENGTH;

export interface LogSource {
  /** What error messages call it. */
  name: string;
  /** Its path, if it is a file; others may lie beside it. */
  path?: string;
  /** Its first bytes. */
  head: Buffer;
  /** Whether `head` is all of it. */
  isWhole: boolean;
  /** Returns all bytes, in pieces that are valid until the next one. May be called once. */
  pieces(): Iterable<Buffer>;
}

/** Creates a source from pieces, such as `piecesOf` yields. */
export function sourceOf(pieces: Iterable<Buffer>, about: { name: string; path?: string }): LogSource {
  const iterator = pieces[Symbol.iterator]();
  const first: Buffer[] = [];
  let length = 0;
  let isWhole = false;
  while (length < headSize && !isWhole) {
    const next = iterator.next();
    isWhole = next.done === true;
    if (next.done === true) break;
    length += next.value.length;
    // The piece is valid only until the next one.
    first.push(Buffer.from(next.value));
  }
  const start = Buffer.concat(first);
  return {
    ...about,
    head: start.subarray(0, headSize),
    isWhole: isWhole && start.length <= headSize,
    *pieces() {
      yield start;
      if (isWhole) return;
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) yield next.value;
    },
  };
}

export interface LogLine {
  /** The line number, from 1. */
  number: number;
  /**
   * The bytes without the line end, valid until the next line. Undefined when the line is too long to be
   * held.
   */
  bytes: Buffer | undefined;
  size: number;
  /** Whether a line feed ends the line: the last one may still be being written. */
  isEnded: boolean;
}

/**
 * Yields the lines, without a BOM at the beginning and carriage returns at the ends, and without empty lines.
 */
export function* linesOf(source: LogSource, maxLength = maxLine): Generator<LogLine> {
  let number = 0;
  let rest: Buffer[] = [];
  let restSize = 0;
  const ended = (last: Buffer, isEnded: boolean): LogLine => {
    number++;
    const size = restSize + last.length;
    const isHeld = size <= maxLength;
    const whole = !isHeld ? undefined : rest.length === 0 ? last : Buffer.concat([...rest, last]);
    rest = [];
    restSize = 0;
    return { number, size, isEnded, bytes: whole === undefined ? undefined : trimmed(whole, number === 1) };
  };
  for (const piece of source.pieces()) {
    let from = 0;
    for (let to = piece.indexOf(0x0a, from); to !== -1; to = piece.indexOf(0x0a, from)) {
      const line = ended(piece.subarray(from, to), true);
      if (line.bytes?.length !== 0) yield line;
      from = to + 1;
    }
    restSize += piece.length - from;
    // A line that is too long to be held is only measured.
    if (restSize > maxLength) rest = [];
    else if (from < piece.length) rest.push(Buffer.from(piece.subarray(from)));
  }
  if (restSize === 0) return;
  const line = ended(Buffer.alloc(0), false);
  if (line.bytes?.length !== 0) yield line;
}

function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  let from = isFirst ? bomSize(bytes) : 0;
  let to = bytes.length;
  while (to > from && isSpace(bytes[to - 1])) to--;
  while (from < to && isSpace(bytes[from])) from++;
  return bytes.subarray(from, to);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}

export function bomSize(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Returns the beginning as text, without a BOM and the white space before the first value. */
export function startOf({ head }: LogSource): string {
  return head.toString("utf8", bomSize(head)).trimStart();
}

/** Returns all bytes at once, without a BOM, for logs that are one document. */
export function wholeOf(source: LogSource): Buffer {
  const whole = gather(source, maxDocument);
  return whole.subarray(bomSize(whole));
}

/** Returns all bytes; throws when there are more than `most`. */
export function gather(source: LogSource, maxBytes: number): Buffer {
  const pieces: Buffer[] = [];
  let size = 0;
  for (const piece of source.pieces()) {
    size += piece.length;
    if (size > maxBytes)
      throw new CtxError(
        "too-large",
        `${source.name} is a single JSON document of more than ${maxBytes} bytes`,
        {
          hint: "only logs with one record per line can be larger",
        },
      );
    pieces.push(Buffer.from(piece));
  }
  const [only, another] = pieces;
  return only !== undefined && another === undefined ? only : Buffer.concat(pieces);
}
