// Reads the directory of a zip archive, which is at its end, or, where that is missing, the headers before
// each entry. Every offset is checked before it is followed.
import { CtxError } from "../base/errors.js";

export interface ZipEntry {
  /** Compression: 0 stored, 8 deflate, 93 zstd. */
  method: number;
  isEncrypted: boolean;
  crc: number;
  packedSize: number;
  size: number;
  /** Where its bytes begin. */
  start: number;
}

export interface Directory {
  entries: ReadonlyMap<string, ZipEntry>;
  duplicates: number;
  isCut: boolean;
}

const localSign = 0x04034b50;
const centralSign = 0x02014b50;
const endSign = 0x06054b50;
const end64Sign = 0x06064b50;
const locator64Sign = 0x07064b50;
const endSize = 22;
/** More entries than any log has. */
const maxEntries = 1_000_000;

/** Returns whether bytes begin as an archive does. */
export function isZip(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === localSign;
}

export function directoryOf(bytes: Buffer, source: string): Directory {
  const end = endOf(bytes);
  if (end === undefined) return gathered(localEntries(bytes), true);
  if (end.count > maxEntries)
    throw new CtxError("too-large", `${source} is an archive of more than ${maxEntries} entries`);
  const entries = [...centralEntries(bytes, end)];
  if (entries.length !== end.count || !areApart(entries, end.start))
    throw new CtxError("log-unreadable", `${source} is an archive whose directory is damaged`, {
      hint: "its entries overlap, are outside the file, or do not match their declared number",
    });
  return gathered(entries, false);
}

interface NamedEntry {
  name: string;
  /** Where its own header begins. */
  offset: number;
  entry: ZipEntry;
}

function gathered(list: Iterable<NamedEntry>, isCut: boolean): Directory {
  const entries = new Map<string, ZipEntry>();
  let duplicates = 0;
  for (const { name, entry } of list) {
    if (entries.has(name)) duplicates++;
    entries.set(name, entry);
  }
  return { entries, duplicates, isCut };
}

/**
 * Returns whether no two entries share bytes: overlapping entries are how small archives expand to huge ones.
 */
function areApart(entries: readonly NamedEntry[], end: number): boolean {
  let free = 0;
  for (const { offset, entry } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < free) return false;
    free = entry.start + entry.packedSize;
  }
  return free <= end;
}

interface EndRecord {
  count: number;
  start: number;
  stop: number;
}

/** Returns the last record of an archive, which locates the directory; undefined when there is none. */
function endOf(bytes: Buffer): EndRecord | undefined {
  const first = Math.max(0, bytes.length - endSize - 0xffff);
  for (let at = bytes.length - endSize; at >= first; at--) {
    if (bytes.readUInt32LE(at) !== endSign) continue;
    if (at + endSize + bytes.readUInt16LE(at + 20) !== bytes.length) continue;
    const count = bytes.readUInt16LE(at + 10);
    const size = bytes.readUInt32LE(at + 12);
    const start = bytes.readUInt32LE(at + 16);
    const isLarge = count === 0xffff || size === 0xffffffff || start === 0xffffffff;
    const end = (isLarge ? largeEnd(bytes, at) : undefined) ?? { count, start, stop: start + size };
    if (end.stop <= at) return end;
  }
  return undefined;
}

function largeEnd(bytes: Buffer, at: number): EndRecord | undefined {
  if (at < 20 || bytes.readUInt32LE(at - 20) !== locator64Sign) return undefined;
  const record = long(bytes, at - 12);
  if (record + 56 > at - 20 || bytes.readUInt32LE(record) !== end64Sign) return undefined;
  const start = long(bytes, record + 48);
  return { count: long(bytes, record + 32), start, stop: start + long(bytes, record + 40) };
}

function* centralEntries(bytes: Buffer, { start, stop }: EndRecord): Generator<NamedEntry> {
  for (let at = start; at + 46 <= stop && bytes.readUInt32LE(at) === centralSign; ) {
    const nameSize = bytes.readUInt16LE(at + 28);
    const extraSize = bytes.readUInt16LE(at + 30);
    const next = at + 46 + nameSize + extraSize + bytes.readUInt16LE(at + 32);
    if (next > stop) return;
    const name = bytes.toString("utf8", at + 46, at + 46 + nameSize);
    const extra = bytes.subarray(at + 46 + nameSize, at + 46 + nameSize + extraSize);
    const [size, packedSize, offset] = largeSizes(extra, [
      bytes.readUInt32LE(at + 24),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 42),
    ]);
    const data = dataStart(bytes, offset, start);
    if (data === undefined) return;
    yield {
      name,
      offset,
      entry: {
        method: bytes.readUInt16LE(at + 10),
        isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
        crc: bytes.readUInt32LE(at + 16),
        packedSize,
        size,
        start: data,
      },
    };
    at = next;
  }
}

/** Returns where the bytes of an entry begin, by the header before them. */
function dataStart(bytes: Buffer, offset: number, end: number): number | undefined {
  if (offset + 30 > end || bytes.readUInt32LE(offset) !== localSign) return undefined;
  return offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
}

/** Returns the names of the entries at the beginning of an archive, as far as their headers are complete. */
export function firstNames(bytes: Buffer): string[] {
  return [...localEntries(bytes, false)].map(({ name }) => name);
}

/**
 * Yields entries by their own headers, one after the other, until one does not state its length or is
 * incomplete.
 */
function* localEntries(bytes: Buffer, isWhole = true): Generator<NamedEntry> {
  for (let at = 0; at + 30 <= bytes.length && bytes.readUInt32LE(at) === localSign; ) {
    const flags = bytes.readUInt16LE(at + 6);
    const nameEnd = at + 30 + bytes.readUInt16LE(at + 26);
    const start = nameEnd + bytes.readUInt16LE(at + 28);
    if (nameEnd > bytes.length) return;
    const extra = bytes.subarray(nameEnd, start);
    const [size, packedSize] = largeSizes(extra, [
      bytes.readUInt32LE(at + 22),
      bytes.readUInt32LE(at + 18),
      0,
    ]);
    const isKnown = (flags & 8) === 0 && start + packedSize <= bytes.length;
    if (!isKnown && isWhole) return;
    const entry = {
      method: bytes.readUInt16LE(at + 8),
      isEncrypted: (flags & 1) === 1,
      crc: bytes.readUInt32LE(at + 14),
      packedSize,
      size,
      start,
    };
    yield { name: bytes.toString("utf8", at + 30, nameEnd), offset: at, entry };
    if (!isKnown) return;
    at = start + packedSize;
  }
}

/** Returns sizes and offset, with those that do not fit into 32 bits taken from the ZIP64 extra field. */
function largeSizes(extra: Buffer, small: [number, number, number]): [number, number, number] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    const end = Math.min(next + extra.readUInt16LE(at + 2), extra.length);
    return small.map((value) => {
      if (value !== 0xffffffff || next + 8 > end) return value;
      next += 8;
      return long(extra, next - 8);
    }) as [number, number, number];
  }
  return small;
}

/** Reads eight bytes; a value that is larger than any file becomes a number that fails every check. */
function long(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}
