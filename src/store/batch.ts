// Adds one pack to a store so that no crash, at any moment, leaves anything half-visible. Everything is written aside in
// tmp/, flushed, renamed into objects/, flushed again; then the one rename into packs/ makes the pack exist.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256, startSha256, toReference } from "../base/digest.js";
import { asIoError, CtxError, withPath } from "../base/errors.js";
import { checkSize, makeFolder, readPieces, usingDescriptor, writeAll, writeNew } from "../base/files.js";
import type { Stored } from "../model/content.js";
import { type Manifest, manifestBytes } from "../model/manifest.js";
import { flush, flushFolder } from "./flush.js";
import { folders, latestPath, objectPath, packPath } from "./layout.js";
import { clearLeftovers, type Lock, type LockKind, takeLock } from "./lock.js";
import { glimpseObject, isIntact } from "./objects.js";
import { hasPack } from "./packs.js";
import { findTwin } from "./twin.js";

export interface Added {
  hex: string;
  manifest: Manifest;
  /** False when the pack was there already. */
  isNew: boolean;
  bytesNew: number;
  bytesShared: number;
  /** Objects that were damaged and are whole again. */
  repaired: string[];
  /** What did not work after the pack was durable. */
  notice: string | undefined;
}

/** Runs `work` with a batch, and leaves nothing behind in tmp/ or locks/ whether it succeeds or fails. */
export function withBatch<T>(root: string, kind: LockKind, work: (batch: Batch) => T): T {
  try {
    makeFolders(root);
    clearLeftovers(root);
    return withLock(root, takeLock(root, kind), work);
  } catch (error) {
    throw asIoError(error);
  }
}

function withLock<T>(root: string, lock: Lock, work: (batch: Batch) => T): T {
  const aside = join(root, "tmp", lock.id);
  try {
    withPath(aside, "create", () => fs.mkdirSync(aside));
    return work(new Batch(root, lock, aside));
  } finally {
    try {
      fs.rmSync(aside, { recursive: true, force: true });
      lock.release();
    } catch {
      // The next writer clears what could not be removed; the outcome of the work stands.
    }
  }
}

/** Makes the folders that are missing; others may be doing the same. */
export function makeFolders(root: string): void {
  for (const name of folders) makeFolder(join(root, name));
}

interface Blob {
  size: number;
  /** Whether it lies in tmp/ and is to be moved into place. */
  aside: boolean;
}

export class Batch {
  readonly #root: string;
  readonly #lock: Lock;
  readonly #aside: string;
  readonly #blobs = new Map<string, Blob>();
  readonly #repaired: string[] = [];
  /** The two-digit folders that exist, so that a fresh store is not asked for every blob. */
  readonly #shelves: Set<string>;
  #finds = false;

  constructor(root: string, lock: Lock, aside: string) {
    this.#root = root;
    this.#lock = lock;
    this.#aside = aside;
    this.#shelves = new Set(listShelves(join(root, "objects")));
  }

  /** Unique to this batch, and known to the lock. */
  get id(): string {
    return this.#lock.id;
  }

  /** The folder in tmp/ that goes when the batch does. */
  get aside(): string {
    return this.#aside;
  }

  /** Adds what the store holds already; throws when it does not, or holds it damaged. */
  addStored(hex: string): Stored {
    const known = this.#blobs.get(hex)?.size;
    const size = known ?? glimpseObject(this.#root, hex, 0).size;
    if (known === undefined) this.#blobs.set(hex, { size, aside: false });
    return { hex, size };
  }

  /** Adds bytes, unless the store holds them already. */
  addBytes(bytes: Buffer): Stored {
    const hex = sha256(bytes);
    if (!this.#blobs.has(hex)) {
      const aside = !this.#holds(hex, bytes);
      if (aside) this.stage(hex, bytes);
      this.#blobs.set(hex, { size: bytes.length, aside });
    }
    return { hex, size: bytes.length };
  }

  /** Adds what an open file holds, in pieces: a blob may be larger than memory. */
  addFile(source: number): Stored {
    const hash = startSha256();
    let size = 0;
    // The name is known only at the end; until then the file has the name of nobody.
    const unnamed = join(this.#aside, "unnamed");
    const created = withPath(unnamed, "create", () => fs.openSync(unnamed, "wx", 0o444));
    usingDescriptor(created, (descriptor) => {
      readPieces(source, (piece) => {
        this.#lock.refresh();
        hash.add(piece);
        writeAll(descriptor, piece);
        size += piece.length;
      });
      checkSize(unnamed, descriptor, size);
    });
    const hex = hash.hex();
    const aside = !this.#blobs.has(hex) && !this.#holds(hex);
    if (aside) withPath(unnamed, "rename", () => fs.renameSync(unnamed, join(this.#aside, hex)));
    else withPath(unnamed, "remove", () => fs.unlinkSync(unnamed));
    if (!this.#blobs.has(hex)) this.#blobs.set(hex, { size, aside });
    return { hex, size };
  }

  /**
   * Makes the pack exist and durable. With `once`, a pack that differs only in its time is the answer if there is one.
   */
  commit(unsealed: Manifest, options: { once: boolean }): Added {
    let manifest = unsealed;
    const twin = options.once ? findTwin(this.#root, manifest) : undefined;
    if (twin !== undefined) manifest = { ...manifest, created: twin };
    const bytes = manifestBytes(manifest);
    const { hex } = this.addBytes(bytes.hashed);
    const sealed = bytes.sealed(hex);
    const path = packPath(this.#root, hex);
    const isNew = !hasPack(this.#root, hex);
    const isSealed = !isNew && isSound(path, sealed, hex);
    if (!isNew && !isSealed) this.#repaired.push(hex);
    const others = [isSealed ? path : this.stage("pack", sealed)];
    if (isNew) others.push(this.stage("latest", Buffer.from(`${toReference(hex)}\n`)));
    this.#publishObjects(others);
    if (!isSealed) withPath(path, "create", () => fs.renameSync(join(this.#aside, "pack"), path));
    // Also when the pack was there: whoever put it there may not have come to this line yet.
    flushFolder(join(this.#root, "packs"));
    const notice = isNew ? this.#moveLatest() : undefined;
    // What a pack that was there had lost is mended as well.
    const mended = isNew ? [] : [...this.#blobs].filter(([, { aside }]) => aside).map(([blob]) => blob);
    const repaired = [...new Set([...this.#repaired, ...mended])];
    return { hex, manifest, isNew, ...this.#sizes(hex), repaired, notice };
  }

  /** The pack is durable by now, and `latest` is a convenience: that it could not be moved is said, and no more. */
  #moveLatest(): string | undefined {
    const latest = latestPath(this.#root);
    try {
      withPath(latest, "write", () => fs.renameSync(join(this.#aside, "latest"), latest));
      return undefined;
    } catch (error) {
      if (error instanceof CtxError) return `the pack is sealed, but is not called latest: ${error.message}`;
      throw error;
    }
  }

  /** Moves the objects into place; `others` are flushed with them. */
  #publishObjects(others: string[]): void {
    const root = this.#root;
    const fresh = [...this.#blobs].filter(([, blob]) => blob.aside).map(([hex]) => hex);
    const found = [...this.#blobs].filter(([, blob]) => !blob.aside).map(([hex]) => hex);
    const waiting = [...fresh.map((hex) => join(this.#aside, hex)), ...others];
    // What was found is flushed with the rest: another writer, git or cp may have left it in memory only.
    flush(root, { files: [...waiting, ...found.map((hex) => objectPath(root, hex))], folders: [] });
    for (const hex of fresh) {
      this.#makeShelf(hex.slice(0, 2));
      const path = objectPath(root, hex);
      withPath(path, "create", () => fs.renameSync(join(this.#aside, hex), path));
    }
    const shelves = new Set([...fresh, ...found].map((hex) => `${root}/objects/${hex.slice(0, 2)}`));
    // The store's own folder too: whoever made objects/ or packs/ again may have been cut off before flushing that.
    flush(root, { files: [], folders: [...shelves, join(root, "objects"), root] });
  }

  #makeShelf(shelf: string): void {
    if (this.#shelves.has(shelf)) return;
    makeFolder(join(this.#root, "objects", shelf));
    this.#shelves.add(shelf);
  }

  /** Whether the store holds the object, whole. One that is damaged is noted, and will be replaced. */
  #holds(hex: string, bytes?: Buffer): boolean {
    const shelf = hex.slice(0, 2);
    if (!this.#shelves.has(shelf)) return false;
    const path = objectPath(this.#root, hex);
    // A run that is packed again finds everything, a new one nothing: what happened last is asked first, since opening
    // what is not there costs ten times this question. A link to nowhere is no object, and will be replaced.
    if (!this.#finds && !fs.existsSync(path)) return false;
    this.#finds = isIntact(this.#root, hex, bytes);
    if (this.#finds) return true;
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isDirectory())
      throw new CtxError("damaged", `${path} is a folder where a blob should be`, {
        hint: "move it away and try again",
      });
    this.#repaired.push(hex);
    return false;
  }

  /** Writes a file aside, for the caller to flush and move into place. */
  stage(name: string, bytes: Buffer, mode = 0o444): string {
    this.refresh();
    const path = `${this.#aside}/${name}`;
    writeNew(path, bytes, mode);
    return path;
  }

  /** Shows others that the work goes on; to be called during long work. */
  refresh(): void {
    this.#lock.refresh();
  }

  /** How many bytes of the pack are new here, and how many it shares with what was there. */
  #sizes(manifest: string): { bytesNew: number; bytesShared: number } {
    let bytesNew = 0;
    let bytesShared = 0;
    for (const [hex, { size, aside }] of this.#blobs)
      if (aside) bytesNew += size;
      else if (hex !== manifest) bytesShared += size;
    return { bytesNew, bytesShared };
  }
}

/** A link in place of a folder would take objects out of the store. */
function listShelves(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => /^[0-9a-f]{2}$/.test(entry.name))
    .map((entry) => {
      if (entry.isDirectory()) return entry.name;
      throw new CtxError("store-unusable", `${join(folder, entry.name)} is not a folder`);
    });
}

/** Whether the entry in packs/ is what it should be: the sealed manifest, or the one line of the Go implementation. */
function isSound(path: string, sealed: Buffer, hex: string): boolean {
  return withPath(path, "read", () => {
    if (!fs.lstatSync(path).isFile()) return false;
    const bytes = fs.readFileSync(path);
    return bytes.equals(sealed) || bytes.toString("latin1").trimEnd() === toReference(hex);
  });
}
