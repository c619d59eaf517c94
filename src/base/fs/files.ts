// File access that trusts no name: only regular files are read, no link is followed, and checks apply to the
// file that was opened. Paths that come from a document are walked one component at a time.
import { constants } from "node:buffer";
import * as fs from "node:fs";
import { constants as flags } from "node:fs";
import { join } from "node:path";
import { CtxError, errnoOf, toIoError, withPath } from "../errors.js";
import { makeOneFolder, openNew } from "./owner-mode.js";

const pieceSize = 1 << 20;

export interface OpenFile {
  descriptor: number;
  size: number;
  /** As it was when the file was opened. */
  stat: fs.Stats;
}

/** Opens a regular file for reading, not through a link. Refuses a FIFO or device without blocking on it. */
export function openRegular(path: string): OpenFile {
  const descriptor = fs.openSync(path, flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK);
  const stat = fs.fstatSync(descriptor);
  if (stat.isFile()) return { descriptor, size: stat.size, stat };
  fs.closeSync(descriptor);
  throw new CtxError("io", `cannot read ${path}: it is not a regular file`, { data: { path } });
}

/** Runs `work` on a regular file, as `openRegular` opens it, and closes it. */
export function usingRegular<T>(path: string, work: (file: OpenFile) => T): T {
  const file = openRegular(path);
  return usingDescriptor(file.descriptor, () => work(file));
}

/** Reads an open file, pipe or anything else; throws beyond `most` bytes, by default what a buffer holds. */
export function readWhole(
  descriptor: number,
  maxBytes = constants.MAX_LENGTH,
  allocate: (size: number) => Buffer = (size) => Buffer.allocUnsafeSlow(size),
): Buffer {
  const pieces: Buffer[] = [];
  let total = 0;
  for (let size = fs.fstatSync(descriptor).size + 1; ; size = pieceSize) {
    if (total + size > maxBytes)
      throw new CtxError("too-large", `the input has more than ${maxBytes} bytes, which is too many`);
    const piece = allocate(size);
    const length = fill(descriptor, piece);
    total += length;
    pieces.push(piece.subarray(0, length));
    // There may be more bytes than stat reported: a pipe, /proc, or a file that grows.
    if (length < size) return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }
}

/** Files of up to this size are better read at once than in pieces. */
export const smallSize = 1 << 20;

/** Reads until the buffer is full or the file ends, and returns the number of bytes. */
export function fill(descriptor: number, buffer: Buffer): number {
  let length = 0;
  while (length < buffer.length) {
    const count = readSome(descriptor, buffer, length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

/**
 * Reads some bytes into `buffer` behind `from`; `at` is their position in the file, by default the current
 * one.
 */
function readSome(descriptor: number, buffer: Buffer, from: number, at: number | null = null): number {
  for (;;) {
    try {
      return fs.readSync(descriptor, buffer, from, Math.min(buffer.length - from, 1 << 30), at);
    } catch (error) {
      if (errnoOf(error) === "EOF") return 0;
      if (errnoOf(error) !== "EAGAIN") throw error;
      // A pipe that another program made non-blocking is empty for now.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

export interface PieceOptions {
  /** Where in a file to begin, wherever it was read before; by default reading continues. */
  from?: number;
  /** Called with the size of each piece. */
  onRead?: (bytes: number) => void;
}

/** Yields the bytes of an open file, pipe or device in pieces, each valid until the next one. */
export function* piecesOf(descriptor: number, { from, onRead }: PieceOptions = {}): Generator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(pieceSize);
  for (let at = from; ; ) {
    const count = readSome(descriptor, piece, 0, at ?? null);
    if (count === 0) return;
    if (at !== undefined) at += count;
    onRead?.(count);
    yield piece.subarray(0, count);
  }
}

/** Returns a small file's content, or undefined if it is missing. Throws for links and special files. */
export function readIfThere(path: string): Buffer | undefined {
  return withPath(path, "read", () => {
    try {
      return usingRegular(path, ({ descriptor }) => readWhole(descriptor));
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
  });
}

/** Returns what a path leads to; undefined if nothing is there, or the system cannot say. */
export function statIfKnown(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path);
  } catch {
    return undefined;
  }
}

/** Lists a folder, sorted by name: Node sorts by itself, other runtimes keep the file system's order. */
export function entriesIn(folder: string): fs.Dirent[] {
  return fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the names in a folder, sorted; none if there is no such folder. */
export function listIfThere(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw toIoError(error, folder, "list");
  }
}

/**
 * Returns the folders in a folder, sorted. A file whose name is not valid text cannot be inspected by its
 * name, and is ignored.
 */
export function foldersIn(folder: string): string[] {
  try {
    const found = fs.readdirSync(folder, { withFileTypes: true });
    return found.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw toIoError(error, folder, "list");
  }
}

/** Runs `work` on a descriptor and closes it, whatever happens. */
export function usingDescriptor<T>(descriptor: number, work: (descriptor: number) => T): T {
  try {
    return work(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Opens the folder that holds `path`, a relative path below `folder`, and passes `work` a path to the file
 * itself that no link swapped in meanwhile can redirect (on Linux; elsewhere each component is checked just
 * before). Every component is entered without following a link; a missing or linked one throws the system's
 * ENOENT, ELOOP or ENOTDIR.
 */
export function below<T>(folder: string, path: string, work: (file: string) => T): T {
  return withBelow(folder, (enter) => enter(path, work));
}

/** Does the same for many paths: does not enter the folder of the previous path again. */
export function withBelow<T>(
  folder: string,
  use: (enter: <U>(path: string, work: (file: string) => U) => U) => T,
): T {
  let held: { descriptor: number; inside: string } | undefined;
  try {
    return use((path, work) => {
      const slash = path.lastIndexOf("/");
      const inside = path.slice(0, Math.max(slash, 0));
      if (held?.inside !== inside) {
        const descriptor = enterFolder(folder, inside);
        if (held !== undefined) closeFolder(held.descriptor);
        held = { descriptor, inside };
      }
      return work(anchored(held.descriptor, path.slice(slash + 1), join(folder, path)));
    });
  } finally {
    if (held !== undefined) closeFolder(held.descriptor);
  }
}

/** Closes a folder and ignores errors: nothing was written through the descriptor, so nothing is lost. */
function closeFolder(descriptor: number): void {
  try {
    fs.closeSync(descriptor);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function enterFolder(folder: string, inside: string): number {
  let held = fs.openSync(folder, flags.O_RDONLY | flags.O_DIRECTORY);
  let at = folder;
  for (const part of inside === "" ? [] : inside.split("/")) {
    at = join(at, part);
    try {
      const next = fs.openSync(
        anchored(held, part, at),
        flags.O_RDONLY | flags.O_DIRECTORY | flags.O_NOFOLLOW,
      );
      closeFolder(held);
      held = next;
    } catch (error) {
      closeFolder(held);
      throw error;
    }
  }
  return held;
}

let hasDescriptorPaths: boolean | undefined;

/** Returns a path to `name` in an open folder that stays in that folder, on Linux; elsewhere `path`. */
export function anchored(descriptor: number, name: string, path: string): string {
  hasDescriptorPaths ??= process.platform === "linux" && fs.existsSync("/proc/self/fd");
  return hasDescriptorPaths ? `/proc/self/fd/${descriptor}/${name}` : path;
}

export interface WriteOptions {
  /**
   * The file will be flushed soon. ext4 starts to write a truncated file when it is closed, so that the first
   * flush of several includes the others. This is no flush: the later one reports any error.
   */
  isSoonFlushed?: boolean;
}

/** Writes a new file, and returns its size. Detects a write that was cut short without an error. */
export function writeNew(
  path: string,
  bytes: Buffer | readonly Buffer[],
  mode: number,
  { isSoonFlushed = false }: WriteOptions = {},
): number {
  return withPath(path, "write", () =>
    usingDescriptor(openNew(path, mode), (descriptor) => {
      if (isSoonFlushed) fs.ftruncateSync(descriptor, 0);
      let size = 0;
      for (const piece of Buffer.isBuffer(bytes) ? [bytes] : bytes) {
        writeAll(descriptor, piece);
        size += piece.length;
      }
      checkSize(path, descriptor, size);
      return size;
    }),
  );
}

export function writeAll(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += fs.writeSync(descriptor, bytes, written, bytes.length - written);
}

/** Throws if not all bytes were written: such a file must not get a name. */
export function checkSize(path: string, descriptor: number, size: number): void {
  const actual = fs.fstatSync(descriptor).size;
  if (actual === size) return;
  throw new CtxError("io", `cannot write ${path}: ${actual} of ${size} bytes were written`, {
    data: { path },
  });
}

/**
 * Makes a folder, unless it exists, with this mode minus the umask: it is never world-writable. Makes one
 * level only: Node's `recursive` hides why one of several failed.
 */
export function makeFolder(path: string, mode = 0o775): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  try {
    makeOneFolder(path, mode);
  } catch (error) {
    const isThere = errnoOf(error) === "EEXIST" && fs.lstatSync(path).isDirectory();
    if (!isThere) throw toIoError(error, path, "create");
  }
}

/** Joins small pieces into one buffer; large ones are better written one by one. */
export function joined(pieces: readonly Buffer[]): Buffer | readonly Buffer[] {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return size <= smallSize ? Buffer.concat(pieces, size) : pieces;
}
