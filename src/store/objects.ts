// Blobs by name. Every read hashes the bytes and compares: a file with other bytes under a name is damage, no
// matter how they got there.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256, startSha256 } from "../base/digest.js";
import { CtxError, errnoOf, toIoError } from "../base/errors.js";
import {
  entriesIn,
  fill,
  type OpenFile,
  openRegular,
  piecesOf,
  smallSize,
  usingDescriptor,
} from "../base/fs/files.js";
import { objectPath } from "./layout.js";

/** Returns the bytes of an object, checked against its name. */
export function readObject(root: string, hex: string): Buffer {
  return openObject(root, hex, ({ descriptor, size }) => {
    const bytes = readBytes(descriptor, size);
    check(root, hex, sha256(bytes));
    return bytes;
  });
}

/** Neither follows a link nor waits for a pipe. */
const quickFlags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/**
 * Reads a small object into a buffer, with as few system calls as that takes, and checks it against its name. Returns
 * undefined if it does not fit, or if anything is wrong: `readObject` says what.
 */
export function readObjectQuickly(root: string, hex: string, room: Buffer): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = fs.openSync(objectPath(root, hex), quickFlags);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
  try {
    const length = fs.readSync(descriptor, room, 0, room.length, null);
    if (length === room.length) return undefined;
    const bytes = room.subarray(0, length);
    return sha256(bytes) === hex ? bytes : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Reads an object into the buffer that `room` returns for its size, if any, and checks it against its name.
 * Returns the size.
 */
export function readObjectInto(
  root: string,
  hex: string,
  room: (size: number) => Buffer | undefined,
): { size: number; bytes: Buffer | undefined } {
  return openObject(root, hex, ({ descriptor, size }) => {
    const place = room(size);
    const bytes = place?.subarray(0, fill(descriptor, place));
    if (bytes !== undefined) check(root, hex, sha256(bytes));
    return { size, bytes };
  });
}

/** Reads an object with a signature that changes when the file is replaced, rewritten or removed. */
export function readSigned(root: string, hex: string): { bytes: Buffer; signature: string } {
  return openObject(root, hex, ({ descriptor, size, stat }) => {
    const bytes = readBytes(descriptor, size);
    check(root, hex, sha256(bytes));
    return { bytes, signature: signed(stat) };
  });
}

/**
 * Returns the current signature of an object's file; empty if there is none, or if its folder may not be
 * entered.
 */
export function signatureOf(root: string, hex: string): string {
  try {
    const stat = fs.lstatSync(objectPath(root, hex), { throwIfNoEntry: false });
    return stat === undefined ? "" : signed(stat);
  } catch (error) {
    if (errnoOf(error) === "EACCES") return "";
    throw error;
  }
}

function signed(stat: fs.Stats): string {
  return `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`;
}

export interface Glimpse {
  size: number;
  /** The first bytes; the whole object was checked all the same. */
  head: Buffer;
  /** The last bytes after these, if any were requested. */
  tail: Buffer;
}

/**
 * Returns size, first and last bytes of an object of any size, checked against its name without holding it in
 * memory.
 */
export function glimpseObject(root: string, hex: string, headSize: number, tailSize = 0): Glimpse {
  return openObject(root, hex, ({ descriptor, size }) => {
    if (size <= smallSize) {
      const bytes = readBytes(descriptor, size);
      check(root, hex, sha256(bytes));
      return {
        size: bytes.length,
        head: bytes.subarray(0, headSize),
        tail: lastOf(bytes.subarray(headSize), tailSize),
      };
    }
    let head: Buffer | undefined;
    let tail: Buffer = Buffer.alloc(0);
    let read = 0;
    const hash = startSha256();
    for (const piece of piecesOf(descriptor)) {
      if (tailSize > 0) tail = lastOf(Buffer.concat([tail, lastOf(piece, tailSize)]), tailSize);
      head ??= Buffer.from(piece.subarray(0, headSize));
      read += piece.length;
      hash.add(piece);
    }
    check(root, hex, hash.hex());
    return { size: read, head: head ?? Buffer.alloc(0), tail };
  });
}

function lastOf(bytes: Buffer, count: number): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - count));
}

/**
 * Passes an object to `take` in pieces, each valid until the next; throws at its end, or before, if it was
 * damaged.
 */
export function streamObject(root: string, hex: string, take: (piece: Buffer) => void): void {
  withObject(root, hex, (pieces) => {
    for (const piece of pieces) take(piece);
  });
}

/**
 * Lets `work` pull an object's bytes in pieces, each valid until the next; throws if it is damaged, once all
 * were pulled. A small object is passed whole.
 */
export function withObject<T>(
  root: string,
  hex: string,
  work: (pieces: Iterable<Buffer>, whole?: Buffer) => T,
): T {
  return openObject(root, hex, ({ descriptor, size }) => {
    if (size <= smallSize) {
      const bytes = readBytes(descriptor, size);
      check(root, hex, sha256(bytes));
      return work([bytes], bytes);
    }
    const hash = startSha256();
    function* pieces(): Generator<Buffer> {
      for (const piece of piecesOf(descriptor)) {
        hash.add(piece);
        yield piece;
      }
      check(root, hex, hash.hex());
    }
    return work(pieces());
  });
}

/**
 * Returns whether the object exists and its bytes match its name. `expected`, if at hand, saves the hashing.
 */
export function isIntact(root: string, hex: string, expected?: Buffer): boolean {
  try {
    return openObject(root, hex, ({ descriptor, size }) => {
      if (expected === undefined) {
        const hash = startSha256();
        for (const piece of piecesOf(descriptor)) hash.add(piece);
        return hash.hex() === hex;
      }
      return size === expected.length && readBytes(descriptor, size).equals(expected);
    });
  } catch (error) {
    if (error instanceof CtxError && (error.code === "damaged" || error.code === "missing")) return false;
    throw error;
  }
}

/**
 * Returns whether a text may be in an object. Nothing is checked against its name: only `false` for a small
 * object is certain.
 */
export function mayHold(root: string, hex: string, text: string): boolean {
  try {
    return openObject(
      root,
      hex,
      ({ descriptor, size }) => size > smallSize || readBytes(descriptor, size).includes(text, "latin1"),
    );
  } catch (error) {
    if (error instanceof CtxError) return true;
    throw error;
  }
}

/**
 * Reads as many bytes as the file had when it was opened, or fewer; the hash shows whether they are right.
 */
function readBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  const length = fill(descriptor, bytes);
  return length === size ? bytes : bytes.subarray(0, length);
}

export function hasObject(root: string, hex: string): boolean {
  return fs.lstatSync(objectPath(root, hex), { throwIfNoEntry: false }) !== undefined;
}

/** Returns how many bytes an object's file has, unchecked; undefined if there is none. */
export function objectSize(root: string, hex: string): number | undefined {
  return fs.lstatSync(objectPath(root, hex), { throwIfNoEntry: false })?.size;
}

/** Returns the names of objects that begin with these 4 or more digits. */
export function objectsByPrefix(root: string, prefix: string): string[] {
  const folder = prefix.slice(0, 2);
  try {
    return fs
      .readdirSync(`${root}/objects/${folder}`)
      .filter((name) => name.startsWith(prefix.slice(2)) && /^[0-9a-f]{62}$/.test(name))
      .map((name) => folder + name)
      .sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw toIoError(error, `${root}/objects/${folder}`, "list");
  }
}

function openObject<T>(root: string, hex: string, work: (file: OpenFile) => T): T {
  const path = objectPath(root, hex);
  let file: OpenFile;
  try {
    file = openRegular(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR")
      throw new CtxError("missing", `blob ${hex} is not in the store`, {
        hint: "restore it from a copy of the store, or pack the run's log again",
        data: { hex },
      });
    if (errno === "ELOOP" || errno === "ENXIO" || errno === undefined)
      throw new CtxError("damaged", `${path} is not a regular file`, { hint: repair, data: { hex } });
    throw toIoError(error, path, "read");
  }
  try {
    return usingDescriptor(file.descriptor, () => work(file));
  } catch (error) {
    // `work` may write, too, and then another file failed.
    if (error instanceof Error && "syscall" in error && error.syscall === "write") throw error;
    throw toIoError(error, path, "read");
  }
}

const repair = "pack the run's log again to repair it, or restore the file from a copy";

function check(root: string, hex: string, actual: string): void {
  if (actual === hex) return;
  throw new CtxError(
    "damaged",
    `${objectPath(root, hex)} is damaged: its bytes have the hash ${actual}, not ${hex}`,
    {
      hint: repair,
      data: { expected: hex, actual },
    },
  );
}

/** Lists the two-digit folders. Throws for a link in place of a folder, which would lead out of the store. */
export function listPrefixes(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => /^[0-9a-f]{2}$/.test(entry.name))
    .map((entry) => {
      if (entry.isDirectory()) return entry.name;
      throw new CtxError("store-unusable", `${join(folder, entry.name)} is not a folder`);
    });
}
