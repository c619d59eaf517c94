// Reads tars from untrusted sources, piece by piece. Only plain files and folders with ordinary names are
// accepted: links, devices, sparse files, and headers that change the meaning of the next one are refused.
import { CtxError } from "../base/errors.js";
import { blockSize, checksum, paddingOf, tarHeader } from "./tar.js";

export interface TarEntry {
  name: string;
  size: number;
  isFolder: boolean;
  /** The bytes, each piece valid until the next; bytes that are not read are skipped. */
  pieces: Iterable<Buffer>;
}

export interface TarRules {
  /** The name of the tar in messages. */
  name: string;
  /** Accept only headers that `tarHeader` writes for files of this mode, and not a byte after the end. */
  exactly?: number;
  /** It was named by the user, and may be anything. */
  isBundle?: boolean;
}

/** Yields the entries of a tar, in order. */
export function* readTar(pieces: Iterable<Buffer>, rules: TarRules): Generator<TarEntry> {
  const source = new TarSource(pieces, rules.name);
  for (let isFirst = true; ; isFirst = false) {
    const block = isFirst && rules.isBundle === true ? firstBlock(source, rules) : source.take(blockSize);
    if (isZero(block)) {
      readEnd(source, rules);
      return;
    }
    const header = readHeader(block, rules);
    if (header.type === "x" || header.type === "g") {
      skipNotes(source, header.size, rules);
      continue;
    }
    let left = header.size;
    function* content(): Generator<Buffer> {
      while (left > 0) {
        const piece = source.some(left);
        left -= piece.length;
        yield piece;
      }
    }
    yield { name: header.name, size: header.size, isFolder: header.type === "5", pieces: content() };
    while (left > 0) left -= source.some(left).length;
    if (!isZero(source.take(paddingOf(header.size)))) throw bad(rules, "unexpected data between two entries");
  }
}

/** Returns the first block; throws if it is no tar's, as that of a log, whatever else is wrong with it. */
function firstBlock(source: TarSource, { name }: TarRules): Buffer {
  const block = source.upTo(blockSize);
  if (block.length === blockSize && (block.toString("latin1", 257, 262) === "ustar" || isZero(block)))
    return block;
  const why = block.length === 0 ? "it is empty" : "it does not start like a tar";
  throw new CtxError("bundle-invalid", `${name} is not a bundle of packs: ${why}`);
}

/** Returns the bytes of one entry, at most `most` of them. */
export function wholeEntry(entry: TarEntry, most: number, rules: TarRules): Buffer {
  if (entry.size > most) throw bad(rules, `${entry.name} has ${entry.size} bytes, which is too large`);
  const bytes = Buffer.allocUnsafe(entry.size);
  let at = 0;
  for (const piece of entry.pieces) at += piece.copy(bytes, at);
  return bytes;
}

/** Returns the bytes of a small entry, valid until the next one: not copied if they came in one piece. */
export function briefEntry({ size, pieces }: TarEntry): Buffer {
  const held: Buffer[] = [];
  for (const piece of pieces) {
    if (piece.length === size) return piece;
    held.push(Buffer.from(piece));
  }
  return Buffer.concat(held, size);
}

interface TarHeader {
  name: string;
  size: number;
  type: string;
}

function readHeader(block: Buffer, rules: TarRules): TarHeader {
  const stated = numberIn(block, 148, 8);
  if (stated !== checksum(block)) throw bad(rules, "the checksum of a header is wrong");
  if (block.toString("latin1", 257, 262) !== "ustar") throw bad(rules, "it is not in ustar format");
  const name = textIn(block, 0, 100);
  const size = numberIn(block, 124, 12);
  const type = block[156] === 0 ? "0" : String.fromCharCode(block[156] as number);
  if (size === undefined) throw bad(rules, "a header has an invalid size");
  if (rules.exactly !== undefined) {
    if (!tarHeader({ name, size, mode: rules.exactly }).equals(block))
      throw bad(rules, `the header of ${name} is malformed`);
    return { name, size, type };
  }
  if (!["0", "5", "x", "g"].includes(type)) throw bad(rules, `${name} is neither a file nor a folder`);
  if (type === "5" && size !== 0) throw bad(rules, `the folder ${name} has a size`);
  // A longer name is stored in two parts; none of ours is that long.
  if (block[345] !== 0) throw bad(rules, `${name} has a name that is too long`);
  return { name, size, type };
}

/** Keys of other programs that do not matter here: times, owners, and what a disk knew about the entry. */
const idleNotes = /^(?:[acm]time|[ug]id|[ug]name|comment|LIBARCHIVE\..*|SCHILY\.(?!realsize).*)$/;

/**
 * Skips the extended header of an entry. Throws if it has any other key, which could rename, resize or link
 * the entry.
 */
function skipNotes(source: TarSource, size: number, rules: TarRules): void {
  if (size > 1 << 16) throw bad(rules, "an extended header is too long");
  const bytes = source.take(size + paddingOf(size));
  const text = bytes.toString("latin1", 0, size);
  if (!isZero(bytes.subarray(size))) throw bad(rules, "unexpected data between two entries");
  for (let at = 0; at < text.length; ) {
    const [, digits = "", key = ""] = /^(\d{1,5}) ([^=\n]+)=/.exec(text.slice(at, at + 300)) ?? [];
    const end = at + Number(digits);
    if (key === "" || end <= at || text[end - 1] !== "\n")
      throw bad(rules, "an extended header cannot be read");
    if (!idleNotes.test(key)) throw bad(rules, "an extended header changes the name or size of an entry");
    at = end;
  }
}

/** The most bytes after the end: some programs fill their last record with zeros. */
const maxEnd = 1 << 20;

function readEnd(source: TarSource, rules: TarRules): void {
  if (!isZero(source.take(blockSize))) throw bad(rules, "it is cut off in the middle");
  let after = 0;
  for (const piece of source.rest()) {
    after += piece.length;
    if (rules.exactly !== undefined || after > maxEnd || !isZero(piece))
      throw bad(rules, "unexpected data after its end");
  }
}

/** Reads a number in octal digits, or in binary if it is large; returns undefined for anything else. */
function numberIn(block: Buffer, at: number, length: number): number | undefined {
  if (block[at] === 0x80) {
    if (length !== 12 || block.readUInt32BE(at) !== 0x80000000) return undefined;
    const value = block.readBigUInt64BE(at + 4);
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined;
  }
  const digits = /^ *([0-7]+)[ \0]*$/.exec(block.toString("latin1", at, at + length))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function textIn(block: Buffer, at: number, length: number): string {
  const text = block.toString("latin1", at, at + length);
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function bad({ name }: TarRules, why: string): CtxError {
  return new CtxError("bundle-invalid", `${name} is not a valid tar: ${why}`);
}

/** Reads bytes by count, from pieces of any size. */
class TarSource {
  readonly #pieces: Iterator<Buffer>;
  readonly #name: string;
  #piece: Buffer = Buffer.alloc(0);

  constructor(pieces: Iterable<Buffer>, name: string) {
    this.#pieces = pieces[Symbol.iterator]();
    this.#name = name;
  }

  /** Returns exactly `count` bytes, which stay valid. */
  take(count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count);
    for (let at = 0; at < count; ) at += this.some(count - at).copy(bytes, at);
    return bytes;
  }

  /** Returns `count` bytes, or fewer if there are no more. */
  upTo(count: number): Buffer {
    const bytes = Buffer.alloc(count);
    let at = 0;
    while (at < count && this.#hasMore()) at += this.some(count - at).copy(bytes, at);
    return bytes.subarray(0, at);
  }

  #hasMore(): boolean {
    while (this.#piece.length === 0) {
      const next = this.#pieces.next();
      if (next.done === true) return false;
      this.#piece = next.value;
    }
    return true;
  }

  /** Returns the next bytes, at least one and at most `most`. */
  some(most: number): Buffer {
    if (!this.#hasMore()) throw bad({ name: this.#name }, "it is cut off in the middle");
    const taken = this.#piece.subarray(0, most);
    this.#piece = this.#piece.subarray(taken.length);
    return taken;
  }

  *rest(): Generator<Buffer> {
    if (this.#piece.length > 0) yield this.#piece;
    for (let next = this.#pieces.next(); next.done !== true; next = this.#pieces.next()) yield next.value;
  }
}
