// Where a foreign log comes from: a file, a pipe or bytes at hand. Its beginning can be looked at before it is read, and it is
// read once, in pieces or by line, so that its size does not matter.
import { constants } from "node:buffer";
import { CtxError } from "../base/errors.js";
import { readSome } from "../base/files.js";

const pieceSize = 1 << 20;
/** How much of a log is looked at to recognise it. */
export const headSize = 1 << 18;
/** A record that is longer is stepped over: parsing it would take several times this much memory. */
export const longestLine = 1 << 27;

export interface Source {
  /** How an error calls it. */
  name: string;
  /** Where it lies, if it is a file; others may lie beside it. */
  path?: string;
  /** Its first bytes. */
  head: Buffer;
  /** Whether these are all. */
  isWhole: boolean;
  /** All bytes, in pieces that are valid until the next one. To be asked once. */
  pieces(): Iterable<Buffer>;
}

/** An open file, pipe or device. */
export function sourceOf(descriptor: number, about: { name: string; path?: string }): Source {
  const buffer = Buffer.allocUnsafeSlow(headSize);
  let length = 0;
  let isWhole = false;
  while (length < headSize && !isWhole) {
    const count = readSome(descriptor, buffer, length);
    length += count;
    isWhole = count === 0;
  }
  const head = buffer.subarray(0, length);
  return {
    ...about,
    head,
    isWhole,
    *pieces() {
      yield head;
      if (isWhole) return;
      const piece = Buffer.allocUnsafeSlow(pieceSize);
      for (;;) {
        const count = readSome(descriptor, piece, 0);
        if (count === 0) return;
        yield piece.subarray(0, count);
      }
    },
  };
}

export function sourceOfBytes(bytes: Buffer, about: { name: string; path?: string }): Source {
  return {
    ...about,
    head: bytes.subarray(0, headSize),
    isWhole: bytes.length <= headSize,
    pieces: () => [bytes],
  };
}

export interface Line {
  /** The first is 1. */
  number: number;
  /** Without its end; valid until the next line. Undefined when the line is too long to be held. */
  bytes: Buffer | undefined;
  size: number;
  /** Whether a line feed ends it: the last one may still be being written. */
  isEnded: boolean;
}

/** The lines, without a BOM at the beginning and carriage returns at the ends; empty ones are left out. */
export function* linesOf(source: Source): Generator<Line> {
  let number = 0;
  let rest: Buffer[] = [];
  let restSize = 0;
  const ended = (last: Buffer, isEnded: boolean): Line => {
    number++;
    const size = restSize + last.length;
    const isHeld = size <= longestLine;
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
    // What is too long to be held is only counted.
    if (restSize > longestLine) rest = [];
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

/** All of it at once, for documents that are one value. */
export function wholeOf(source: Source): Buffer {
  const pieces: Buffer[] = [];
  let size = 0;
  for (const piece of source.pieces()) {
    size += piece.length;
    if (size > constants.MAX_STRING_LENGTH)
      throw new CtxError(
        "too-large",
        `${source.name} is one document of more than ${constants.MAX_STRING_LENGTH} bytes`,
        {
          hint: "only logs with one record a line can be larger",
        },
      );
    pieces.push(Buffer.from(piece));
  }
  const [only, another] = pieces;
  const whole = only !== undefined && another === undefined ? only : Buffer.concat(pieces);
  return whole.subarray(bomSize(whole));
}
