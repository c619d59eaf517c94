// Hashes objects and compares each with its name: the part that every thread runs. Threads share a counter,
// so that a free thread takes the next few objects.
import * as fs from "node:fs";
import { sha256, startSha256 } from "../base/digest.js";

/** The data that threads share. */
export interface HashTask {
  /** The folder of objects. */
  folder: string;
  /** Whether each is known to be a regular file; otherwise that is checked. */
  areFiles: boolean;
  /** The hashes, 64 digits each, one after the other. */
  names: string;
  /** One byte for each: see `states`. */
  states: SharedArrayBuffer;
  /** The number of objects taken, as the first element. */
  control: SharedArrayBuffer;
  /** The number of bytes read, one element per thread. */
  bytes: SharedArrayBuffer;
}

export const states = { waiting: 0, intact: 1, suspicious: 2 } as const;

/** How many objects a thread takes at once. */
const batchSize = 8;
const bufferSize = 1 << 20;
const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/**
 * Takes objects until none is left. An object that is not certainly intact is left to the slower check of the
 * caller.
 */
export function hashLoop(task: HashTask, thread: number, progress?: (taken: number) => void): void {
  const found = new Uint8Array(task.states);
  const control = new Int32Array(task.control);
  const bytes = new Float64Array(task.bytes);
  const buffer = Buffer.allocUnsafeSlow(bufferSize);
  const count = task.names.length / 64;
  for (;;) {
    const from = Atomics.add(control, 0, batchSize);
    if (from >= count) return;
    const to = Math.min(from + batchSize, count);
    for (let at = from; at < to; at++) {
      const hex = task.names.slice(at * 64, at * 64 + 64);
      const size = hashed(`${task.folder}/${hex.slice(0, 2)}/${hex.slice(2)}`, hex, buffer, task.areFiles);
      if (size >= 0) bytes[thread] = (bytes[thread] as number) + size;
      found[at] = size >= 0 ? states.intact : states.suspicious;
    }
    progress?.(to);
  }
}

/** Returns the size of a file whose bytes have this hash; -1 for anything else. */
function hashed(path: string, hex: string, buffer: Buffer, isFile: boolean): number {
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, flags);
  } catch {
    return -1;
  }
  let size = -1;
  try {
    size = hashedSize(descriptor, hex, buffer, isFile);
  } catch {
    // The file cannot be read.
  }
  try {
    fs.closeSync(descriptor);
  } catch {
    return -1;
  }
  return size;
}

function hashedSize(descriptor: number, hex: string, buffer: Buffer, isFile: boolean): number {
  // Reads at a position, which fails for a pipe.
  const length = fs.readSync(descriptor, buffer, 0, buffer.length, 0);
  // A device may end at once, or never.
  const isSure = isFile && length > 0 && length < buffer.length;
  if (!isSure && !fs.fstatSync(descriptor).isFile()) return -1;
  if (length < buffer.length) return sha256(buffer.subarray(0, length)) === hex ? length : -1;
  const hash = startSha256();
  let size = 0;
  for (let read = length; read > 0; read = fs.readSync(descriptor, buffer, 0, buffer.length, size)) {
    hash.add(buffer.subarray(0, read));
    size += read;
  }
  return hash.hex() === hex ? size : -1;
}
