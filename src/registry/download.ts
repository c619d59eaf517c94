// Downloads blobs into files, and hashes them on the way. A partial file is kept, and the next try resumes
// where it ended: in this call or a later one.
import * as fs from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { startSha256 } from "../base/digest.js";
import { CtxError, withPath } from "../base/errors.js";
import { listIfThere, piecesOf, writeAll } from "../base/fs/files.js";
import { isOwnerRunning, ownId } from "../base/owner-id.js";
import type { SizedBlob } from "../bundle/layers.js";
import { dismiss, isTransient } from "./http.js";
import type { Registry } from "./registry.js";
import { retrying, type Attempt } from "./retry.js";

export interface Downloaded extends SizedBlob {
  path: string;
  /** The bytes, if they are in memory and in no file. */
  bytes: Buffer | undefined;
  /** How many of the bytes an earlier call had downloaded. */
  resumed: number;
}

export interface DownloadOptions {
  folder: string;
  /** Called with the number of bytes received, and of those that were there already. */
  onBytes: (bytes: number) => void;
  /**
   * Where the blob goes: to a file that stays, to a file that is read once and need not be durable, or to
   * memory.
   */
  as: "lasting" | "passing" | "bytes";
}

/** A running download is never idle this long, in milliseconds. */
const silence = 10 * 60_000;

/** Takes over the partial file of a process that has ended, or returns the path of a new one. */
function claim(folder: string, { hex, size }: SizedBlob): { path: string; isFound: boolean } {
  const path = join(folder, `${hex}.${ownId()}`);
  for (const name of listIfThere(folder)) {
    if (!name.startsWith(`${hex}.`)) continue;
    const isRunning = isOwnerRunning(name.slice(hex.length + 1));
    const left = join(folder, name);
    const stat = fs.lstatSync(left, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || stat.size > size) continue;
    // The owner may be a process on another machine that still writes: only the file's age can tell.
    if (isRunning ?? Date.now() - stat.mtimeMs < silence) continue;
    try {
      fs.renameSync(left, path);
      // A complete file was made read-only.
      fs.chmodSync(path, 0o600);
      return { path, isFound: true };
    } catch {
      // Another process took the file first.
    }
  }
  return { path, isFound: false };
}

/** Downloads a blob, or the rest of it. */
export async function downloadBlob(
  registry: Registry,
  blob: SizedBlob,
  { folder, onBytes, as }: DownloadOptions,
): Promise<Downloaded> {
  const { path, isFound } = claim(folder, blob);
  const part = new PartialDownload(path, blob, { onBytes, inMemory: as === "bytes" && !isFound });
  try {
    const found = part.size;
    await retrying(async () => await fetchMore(registry, part), registry.retry);
    await part.finish(as === "lasting");
    return { ...blob, path, bytes: part.bytes, resumed: part.wasFound ? found : 0 };
  } finally {
    part.close();
    if (part.size === 0 && blob.size > 0 && part.bytes === undefined) fs.rmSync(path, { force: true });
  }
}

async function fetchMore(registry: Registry, part: PartialDownload): Promise<Attempt<void>> {
  const { blob } = part;
  part.isFurther();
  if (part.isWhole(registry)) return { done: undefined };
  const from = part.size;
  const tried = await registry.attempt({
    method: "GET",
    path: `blobs/sha256:${blob.hex}`,
    headers: from === 0 ? {} : { range: `bytes=${from}-` },
    expect: [200, 206, 416],
  });
  if (!("done" in tried)) return tried;
  const response = tried.done;
  if (response.statusCode === 416) {
    dismiss(response);
    part.startAnew();
    return { again: new CtxError("registry", `${registry.text} cannot send the rest of sha256:${blob.hex}`) };
  }
  if (response.statusCode === 200) part.startAnew();
  else if (!(response.headers["content-range"] ?? "").startsWith(`bytes ${from}-`)) {
    response.destroy();
    part.startAnew();
    return {
      again: new CtxError("registry", `${registry.text} sent another part of a blob than ctx requested`),
    };
  }
  checkLength(registry, response, part);
  try {
    for await (const piece of response as AsyncIterable<Buffer>) part.add(piece, registry);
  } catch (error) {
    response.destroy();
    if (registry.signal?.aborted === true) throw registry.signal.reason;
    if (!isTransient(error)) throw error;
  }
  if (part.isWhole(registry)) return { done: undefined };
  return {
    again: new CtxError(
      "registry",
      `${registry.text} cut the connection at byte ${part.size} of sha256:${blob.hex}`,
    ),
    progress: part.isFurther(),
  };
}

/** Throws, before any byte is accepted, unless the announced length and encoding match the manifest. */
function checkLength(registry: Registry, response: IncomingMessage, part: PartialDownload): void {
  const length = response.headers["content-length"];
  const encoding = response.headers["content-encoding"] ?? "identity";
  const left = part.blob.size - part.size;
  if (encoding === "identity" && (length === undefined || Number(length) === left)) return;
  response.destroy();
  const what = encoding === "identity" ? `${length} bytes instead of ${left}` : `it as ${encoding}`;
  throw new CtxError(
    "registry",
    `${registry.text} wants to send ${what.slice(0, 100)} for sha256:${part.blob.hex}`,
  );
}

/** Files at least this large are flushed as soon as they are complete, while others are still downloading. */
const largeFile = 1 << 18;

class PartialDownload {
  readonly path: string;
  readonly blob: SizedBlob;
  readonly #onBytes: (bytes: number) => void;
  /** The buffer for the blob, if no file is written. */
  readonly bytes: Buffer | undefined;
  #descriptor: number | undefined;
  #hash = startSha256();
  #furthest = 0;
  size = 0;
  /** Whether an earlier call left some of the bytes. */
  wasFound = false;

  constructor(
    path: string,
    blob: SizedBlob,
    { onBytes, inMemory }: { onBytes: (bytes: number) => void; inMemory: boolean },
  ) {
    this.path = path;
    this.blob = blob;
    this.#onBytes = onBytes;
    if (inMemory) {
      this.bytes = Buffer.allocUnsafeSlow(blob.size);
      return;
    }
    this.#descriptor = withPath(path, "write", () =>
      fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW, 0o600),
    );
    for (const piece of piecesOf(this.#descriptor)) {
      this.#take(piece);
      this.wasFound = true;
    }
  }

  #take(piece: Buffer): void {
    this.#hash.add(piece);
    this.size += piece.length;
    this.#onBytes(piece.length);
  }

  add(piece: Buffer, registry: Registry): void {
    if (this.size + piece.length > this.blob.size)
      throw new CtxError(
        "registry",
        `${registry.text} sent more than the ${this.blob.size} bytes of sha256:${this.blob.hex}`,
      );
    if (this.bytes !== undefined) piece.copy(this.bytes, this.size);
    else withPath(this.path, "write", () => writeAll(this.#descriptor as number, piece));
    this.#take(piece);
  }

  /** Returns whether there are more bytes than at any earlier call of this method. */
  isFurther(): boolean {
    if (this.size <= this.#furthest) return false;
    this.#furthest = this.size;
    return true;
  }

  /** Returns whether all bytes have arrived, and throws if their hash is wrong. */
  isWhole(registry: Registry): boolean {
    if (this.size < this.blob.size) return false;
    const actual = this.#hash.hex();
    if (actual === this.blob.hex) return true;
    // The wrong bytes may be those that an earlier call left.
    const mayBeOld = this.wasFound;
    this.startAnew();
    if (mayBeOld) return false;
    throw new CtxError(
      "registry",
      `${registry.text} sent wrong bytes for sha256:${this.blob.hex}: their hash is ${actual}`,
      {
        data: { expected: this.blob.hex, actual },
      },
    );
  }

  startAnew(): void {
    if (this.size === 0) return;
    this.#onBytes(-this.size);
    if (this.bytes === undefined)
      withPath(this.path, "write", () => {
        this.close();
        this.#descriptor = fs.openSync(
          this.path,
          fs.constants.O_RDWR | fs.constants.O_TRUNC | fs.constants.O_NOFOLLOW,
        );
      });
    this.size = 0;
    this.#hash = startSha256();
    this.wasFound = false;
  }

  async finish(isLasting: boolean): Promise<void> {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return;
    fs.fchmodSync(descriptor, 0o400);
    if (!isLasting || this.size < largeFile) return;
    await new Promise<void>((resolve, reject) => {
      fs.fsync(descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
