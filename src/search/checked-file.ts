// A file of the index, in blocks with a checksum each: a query reads few of them, and believes no flipped bit.
import * as fs from "node:fs";
import { CtxError, errnoOf } from "../base/errors.js";
import { openRegular } from "../base/fs/files.js";

const blockSize = 4096;
const sumSize = 4;
const payload = blockSize - sumSize;

/** Thrown if a file of the index is damaged: it is made again. */
export class BrokenIndex extends Error {}

/** Returns the bytes of a file that holds these bytes. */
export function withChecksums(bytes: Buffer): Buffer {
  const blocks = Math.ceil(bytes.length / payload);
  const all = Buffer.alloc(blocks * blockSize);
  for (let block = 0; block < blocks; block++) {
    const part = all.subarray(block * blockSize, (block + 1) * blockSize);
    bytes.copy(part, 0, block * payload, (block + 1) * payload);
    part.writeUInt32LE(checksum(part, block), payload);
  }
  return all;
}

/** Returns the FNV-1a checksum of a block and its number: a block in the place of another is damage, too. */
function checksum(block: Buffer, number: number): number {
  let hash = Math.imul(0x811c9dc5 ^ number, 0x01000193);
  for (let at = 0; at < payload; at++) hash = Math.imul(hash ^ (block[at] as number), 0x01000193);
  return hash >>> 0;
}

/** Reads such a file; every read throws `BrokenIndex` for a damaged block. */
export class CheckedFile {
  readonly path: string;
  readonly size: number;
  readonly #descriptor: number;
  /** The block that was read last: rows that are read one after the other are often in one. */
  #block = -1;
  readonly #held = Buffer.allocUnsafe(blockSize);

  private constructor(path: string, descriptor: number, size: number) {
    this.path = path;
    this.size = size;
    this.#descriptor = descriptor;
  }

  /** Opens a file that this user wrote; undefined if there is none. */
  static open(path: string): CheckedFile | undefined {
    try {
      const { descriptor, size } = openRegular(path);
      const { uid } = fs.fstatSync(descriptor);
      const isOwn = process.geteuid === undefined || process.geteuid() === uid;
      if (isOwn && size > 0 && size % blockSize === 0) return new CheckedFile(path, descriptor, size);
      fs.closeSync(descriptor);
    } catch (error) {
      if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
    }
    return undefined;
  }

  read(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const first = Math.floor(offset / payload);
    const blocks = Math.floor((offset + length - 1) / payload) - first + 1;
    const all = blocks > 1 ? this.#loadAll(first, blocks) : undefined;
    for (let done = 0; done < length; ) {
      const block = Math.floor((offset + done) / payload);
      const inside = (offset + done) % payload;
      const count = Math.min(length - done, payload - inside);
      const from = all === undefined ? inside : (block - first) * blockSize + inside;
      (all ?? this.#load(block)).copy(bytes, done, from, from + count);
      done += count;
    }
    return bytes;
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }

  #load(block: number): Buffer {
    if (block === this.#block) return this.#held;
    this.#block = -1;
    this.#fill(this.#held, block);
    this.#block = block;
    return this.#held;
  }

  /** Reads blocks that follow each other by one call. */
  #loadAll(first: number, count: number): Buffer {
    // What a damaged file says of itself may be more than it has.
    if ((first + count) * blockSize > this.size) throw new BrokenIndex();
    const all = Buffer.allocUnsafe(count * blockSize);
    this.#fill(all, first);
    return all;
  }

  /** Fills a buffer with blocks, and checks each. */
  #fill(bytes: Buffer, first: number): void {
    let read = 0;
    try {
      read = fs.readSync(this.#descriptor, bytes, 0, bytes.length, first * blockSize);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
    if (read !== bytes.length) throw new BrokenIndex();
    for (let at = 0; at < bytes.length; at += blockSize) {
      const block = bytes.subarray(at, at + blockSize);
      if (block.readUInt32LE(payload) !== checksum(block, first + at / blockSize)) throw new BrokenIndex();
    }
  }
}
