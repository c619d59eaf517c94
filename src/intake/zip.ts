// Reads untrusted zip archives. Sizes, offsets, counts and names are all checked, and names are never used as
// paths. Entries are unpacked one at a time, up to a limit, and checked against their checksums.
import { CtxError } from "../base/errors.js";
import { lazy } from "../base/lazy.js";
import { maxDocument } from "./log-source.js";
import { maxPlausibleSize, zstdUnpack } from "./unpack.js";
import { type Directory, directoryOf } from "./zip-directory.js";

/** Maximum size of all entries together: a small bomb must not take hours. */
const maxTotal = 2 ** 33;

export interface ZipLimits {
  /** Maximum size of one entry: it becomes one string. */
  one?: number;
  /** Maximum size of all entries together. */
  all?: number;
}

export interface Zip {
  /** In the order of the archive, each name once. */
  names: readonly string[];
  /** The number of repeated names; the last entry of a name counts. */
  duplicates: number;
  /** Whether the end of the archive is missing, and with it an unknown number of entries. */
  isCut: boolean;
  /**
   * Returns the bytes of an entry, or an error that says what is wrong with it. Throws when the limits are
   * exceeded.
   */
  read(name: string): Buffer | Error;
}

export function readZip(bytes: Buffer, source: string, limits: ZipLimits = {}): Zip {
  const directory = directoryOf(bytes, source);
  const { one = maxDocument, all = Math.min(maxPlausibleSize(bytes.length), maxTotal) } = limits;
  let total = 0;
  return {
    names: [...directory.entries.keys()],
    duplicates: directory.duplicates,
    isCut: directory.isCut,
    read(name) {
      const maxBytes = Math.min(one, all - total);
      const unpacked = unpackEntry(bytes, directory, { name, maxBytes, source });
      if (!(unpacked instanceof Error)) total += unpacked.length;
      return unpacked;
    },
  };
}

interface WantedEntry {
  name: string;
  maxBytes: number;
  /** What error messages call the archive. */
  source: string;
}

function unpackEntry(
  bytes: Buffer,
  { entries }: Directory,
  { name, maxBytes, source }: WantedEntry,
): Buffer | Error {
  const entry = entries.get(name);
  if (entry === undefined) return new Error("is not there");
  if (entry.isEncrypted) return new Error("is encrypted");
  if (entry.size > maxBytes) throw tooLarge(source, maxBytes);
  const packed = bytes.subarray(entry.start, entry.start + entry.packedSize);
  const unpacked = expanded(packed, entry, source);
  if (unpacked instanceof Error) return unpacked;
  if (unpacked.length !== entry.size) return new Error("is not as long as the archive says");
  return crc32(unpacked) === entry.crc ? unpacked : new Error("does not match its checksum");
}

function expanded(
  packed: Buffer,
  { method, size }: { method: number; size: number },
  source: string,
): Buffer | Error {
  if (method === 0) return packed;
  if (method !== 8 && method !== 93) return new Error(`is compressed in a way that is not known (${method})`);
  const unpack = method === 8 ? lazy("zlib").inflateRawSync : zstdUnpack();
  if (unpack === undefined)
    throw new CtxError(
      "log-unreadable",
      `${source} is compressed with zstd, which Node ${process.versions.node} cannot read`,
      {
        hint: "convert it with `inspect log convert --to json`; Node 22.15 and newer can read it directly",
      },
    );
  try {
    // One byte more than declared proves that the size is wrong, and stops a bomb.
    return unpack(packed, { maxOutputLength: size + 1 });
  } catch (error) {
    const isLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return new Error(isLong ? "is longer than the archive says" : "cannot be unpacked");
  }
}

function tooLarge(source: string, maxBytes: number): CtxError {
  return new CtxError("too-large", `${source} unpacks to more than the limit of ${maxBytes} bytes`, {
    hint: "such a small archive that unpacks to so much is probably malicious",
  });
}

/** Computed when needed: few logs are archives. */
let remainders: Uint32Array | undefined;

function remaindersOf(): Uint32Array {
  return new Uint32Array(256).map((_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
}

export function plainCrc32(bytes: Buffer): number {
  const table = (remainders ??= remaindersOf());
  let crc = 0xffffffff;
  // An index is four times as fast here as an iterator.
  // oxlint-disable-next-line typescript/prefer-for-of
  for (let at = 0; at < bytes.length; at++)
    crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] as number)) & 0xff] as number);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Node itself has crc32 from 20.15 on. */
export function crc32(bytes: Buffer): number {
  return ((lazy("zlib") as { crc32?: (bytes: Buffer) => number }).crc32 ?? plainCrc32)(bytes);
}
