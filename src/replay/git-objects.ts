// Reads many objects of a repository through one process of git, in the order in which they were requested.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createHash } from "node:crypto";
import { type Repository, startGit } from "./repository.js";

/** Larger objects are read past, and reported as missing: no witness needs them. */
const maxObject = 1 << 24;

interface ObjectRequest {
  resolve: (bytes: Buffer | undefined) => void;
  reject: (error: Error) => void;
}

export class GitObjects {
  readonly #child: ChildProcessWithoutNullStreams;
  #waiting: ObjectRequest[] = [];
  #next = 0;
  #chunks: Buffer[] = [];
  #held = 0;
  /** How many bytes must be there before it is worth looking again. */
  #wanted = 1;
  /** How many bytes of an object that is too large are still to come. */
  #skipping = 0;
  #error: Error | undefined;

  constructor(repository: Repository) {
    this.#child = startGit(repository, ["cat-file", "--batch"]);
    this.#child.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#child.on("error", (error) => this.#fail(error));
    this.#child.stdout.on("close", () => this.#fail(new Error("git cat-file ended")));
  }

  /** Returns the bytes of an object; undefined if it is missing or too large. */
  read(id: string): Promise<Buffer | undefined> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    const found = new Promise<Buffer | undefined>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
    this.#child.stdin.write(`${id}\n`);
    return found;
  }

  close(): void {
    this.#fail(new Error("closed"));
    this.#child.stdin.destroy();
    this.#child.kill("SIGKILL");
  }

  #fail(error: Error): void {
    this.#error ??= error;
    const waiting = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    for (const { reject } of waiting) reject(this.#error);
  }

  #take(chunk: Buffer): void {
    const skipped = Math.min(this.#skipping, chunk.length);
    this.#skipping -= skipped;
    const rest = skipped === 0 ? chunk : chunk.subarray(skipped);
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#held += rest.length;
    if (this.#held < this.#wanted) return;
    let bytes = this.#chunks.length === 1 ? rest : Buffer.concat(this.#chunks);
    for (;;) {
      const used = this.#answer(bytes);
      if (used === 0) break;
      bytes = bytes.subarray(used);
    }
    this.#chunks = bytes.length === 0 ? [] : [bytes];
    this.#held = bytes.length;
  }

  /** Reads one answer; returns how many bytes it had, or 0 if it is not there yet. */
  #answer(bytes: Buffer): number {
    this.#wanted = bytes.length + 1;
    const end = bytes.indexOf("\n");
    if (end === -1) return 0;
    const [, type, length] = bytes.toString("latin1", 0, end).split(" ");
    const size = length === undefined ? Number.NaN : Number(length);
    if (type === undefined || !Number.isSafeInteger(size)) {
      this.#resolve(undefined);
      return end + 1;
    }
    const total = end + 1 + size + 1;
    if (size > maxObject) {
      this.#skipping = Math.max(0, total - bytes.length);
      this.#resolve(undefined);
      return Math.min(total, bytes.length);
    }
    if (bytes.length < total) {
      this.#wanted = total;
      return 0;
    }
    this.#resolve(bytes.subarray(end + 1, end + 1 + size));
    return total;
  }

  #resolve(bytes: Buffer | undefined): void {
    this.#waiting[this.#next++]?.resolve(bytes);
    if (this.#next < 4096) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }
}

/** Returns the id that git would give to a blob. `format`: the hash of the repository's object ids. */
export function blobId(bytes: Buffer, format: string): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** An entry of a tree, with its name as a byte string. */
export interface TreeEntry {
  name: string;
  isTree: boolean;
  /** Whether it is a file, and not a link or a submodule. */
  isFile: boolean;
  id: string;
}

/** Calls `visit` for the entries of a tree that `isWanted` by their names, which are byte strings. */
export function readTree(
  bytes: Buffer,
  idBytes: number,
  isWanted: (name: string) => boolean,
  visit: (entry: TreeEntry) => void,
): void {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const zero = bytes.indexOf(0, space);
    if (space === -1 || zero === -1 || zero + 1 + idBytes > bytes.length) return;
    const name = bytes.toString("latin1", space + 1, zero);
    if (isWanted(name)) {
      const mode = bytes.toString("latin1", at, space);
      visit({
        name,
        isTree: mode === "40000",
        isFile: mode.startsWith("100"),
        id: bytes.toString("hex", zero + 1, zero + 1 + idBytes),
      });
    }
    at = zero + 1 + idBytes;
  }
}
