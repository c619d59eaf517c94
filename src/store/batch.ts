// Adds packs so that no crash, at any moment, leaves anything half-visible. Files are staged in tmp/,
// flushed, renamed into objects/, flushed again; then one rename into packs/ makes the pack exist.
// Over 300 lines: the order of these writes is one idea, and is read in one place.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256, startSha256, toReference } from "../base/digest.js";
import { CtxError, withPath } from "../base/errors.js";
import { checkSize, joined, makeFolder, writeAll, writeNew } from "../base/fs/files.js";
import { linkIfFree } from "../base/fs/atomic.js";
import { openNew } from "../base/fs/owner-mode.js";
import type { StoredContent } from "../model/content.js";
import { checkReadable } from "../model/check-readable.js";
import { type Manifest, manifestBytes } from "../model/manifest.js";
import {
  type Added,
  type AddedPack,
  firstOfEach,
  objectsOf,
  type Sizes,
  sizesOf,
  union,
} from "./commit-result.js";
import { flush, flushFolder, manyPaths } from "../base/fs/flush.js";
import { latestPath, objectPath, packPath } from "./layout.js";
import type { Lock } from "./lock.js";
import { type Modes, modesOf } from "./modes.js";
import { glimpseObject, isIntact, listPrefixes } from "./objects.js";
import { hasPack, isSoundEntry } from "./packs.js";
import type { Sink } from "./content-sink.js";
import { findTwin } from "./find-equal-pack.js";

interface Blob {
  size: number;
  /** Whether the blob is staged in tmp/ and must be moved into place. */
  isStaged: boolean;
}

interface StagedPack {
  manifest: Manifest;
  /** The size of its object. */
  size: number;
  /** The staged sealed manifest. */
  path: string;
}

/** Files at least this large start flushing immediately, overlapping with the scan of the next one. */
const largeFile = 1 << 18;

export class Batch implements Sink {
  readonly #root: string;
  readonly #lock: Lock;
  readonly #folder: string;
  readonly #blobs = new Map<string, Blob>();
  readonly #repaired: string[] = [];
  /** Staged packs by their hash: also those of inputs that failed later, which are never committed. */
  readonly #packs = new Map<string, StagedPack>();
  /** The two-digit folders that exist, so that a fresh store is not searched for every blob. */
  readonly #prefixes: Set<string>;
  readonly #started: number;
  readonly #flushes: boolean;
  readonly #modes: Modes;
  #staged = 0;
  #finds = false;
  /** Number of bytes staged. */
  stagedBytes = 0;
  /** `flushes`: false if nothing has to outlive the process. */
  constructor(root: string, lock: Lock, { folder, flushes }: { folder: string; flushes: boolean }) {
    this.#root = root;
    this.#flushes = flushes;
    this.#modes = modesOf(root);
    this.#lock = lock;
    this.#folder = folder;
    this.#prefixes = new Set(listPrefixes(join(root, "objects")));
    // By the clock of the file system, which may differ from this machine's.
    this.#started = fs.lstatSync(folder).ctimeMs;
  }

  /** Same id as the lock. */
  get id(): string {
    return this.#lock.id;
  }

  /** Returns the folder in tmp/ that is removed with the batch. */
  get folder(): string {
    return this.#folder;
  }

  /** Adds a blob that the store already holds; throws if it is missing or damaged. */
  addStored(hex: string): StoredContent {
    const known = this.#blobs.get(hex)?.size;
    const size = known ?? glimpseObject(this.#root, hex, 0).size;
    if (known === undefined) this.#blobs.set(hex, { size, isStaged: false });
    return { hex, size };
  }

  /** Adds bytes, unless the store already holds them. */
  addBytes(bytes: Buffer, known?: string): StoredContent {
    const hex = known ?? sha256(bytes);
    if (!this.#blobs.has(hex)) {
      const isStaged = !this.#holds(hex, bytes);
      if (isStaged) this.stage(hex, bytes);
      this.#blobs.set(hex, { size: bytes.length, isStaged });
    }
    return { hex, size: bytes.length };
  }

  /** Adds bytes in pieces, joining them if they are small. */
  #addParts(pieces: readonly Buffer[]): StoredContent {
    const bytes = joined(pieces);
    if (Buffer.isBuffer(bytes)) return this.addBytes(bytes);
    const hash = startSha256();
    let size = 0;
    for (const piece of bytes) {
      hash.add(piece);
      size += piece.length;
    }
    const hex = hash.hex();
    if (!this.#blobs.has(hex)) {
      const isStaged = !this.#holds(hex);
      if (isStaged) this.stage(hex, bytes);
      this.#blobs.set(hex, { size, isStaged });
    }
    return { hex, size };
  }

  /** Adds a blob in pieces; it may be larger than memory. */
  addPieces(pieces: Iterable<Buffer>): StoredContent {
    const hash = startSha256();
    let size = 0;
    // The hash, and so the name, is known only at the end; until then the file has a temporary name.
    const temporary = join(this.#folder, "unnamed");
    const descriptor = withPath(temporary, "create", () => openNew(temporary, this.#modes.file(0o444)));
    // Wraps only errors of writing this file: an error of reading the pieces concerns another file.
    const write = (work: () => void): void => withPath(temporary, "write", work);
    try {
      for (const piece of pieces) {
        this.#lock.refresh();
        hash.add(piece);
        write(() => writeAll(descriptor, piece));
        size += piece.length;
      }
      write(() => checkSize(temporary, descriptor, size));
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    } finally {
      write(() => fs.closeSync(descriptor));
    }
    this.stagedBytes += size;
    const hex = hash.hex();
    const isStaged = !this.#blobs.has(hex) && !this.#holds(hex);
    if (isStaged) withPath(temporary, "rename", () => fs.renameSync(temporary, join(this.#folder, hex)));
    else withPath(temporary, "remove", () => fs.unlinkSync(temporary));
    if (!this.#blobs.has(hex)) this.#blobs.set(hex, { size, isStaged });
    return { hex, size };
  }

  /** Moves in a file of this file system with this known hash, unless the store already holds the blob. */
  adopt(path: string, { hex, size }: StoredContent): void {
    if (this.#blobs.has(hex)) return;
    const isStaged = !this.#holds(hex);
    if (isStaged)
      withPath(path, "rename", () => {
        fs.chmodSync(path, this.#modes.file(0o444));
        fs.renameSync(path, `${this.#folder}/${hex}`);
      });
    this.#blobs.set(hex, { size, isStaged });
  }

  /** Returns the path of a blob that was added. */
  fileOf(hex: string): string | undefined {
    const blob = this.#blobs.get(hex);
    if (blob === undefined) return undefined;
    return blob.isStaged ? join(this.#folder, hex) : objectPath(this.#root, hex);
  }

  /**
   * Stages a pack; it becomes visible only if the caller passes it to `commit`. `once`: reuses a pack, in the
   * store or staged, that differs only in its time, if there is one.
   */
  addPack(unsealed: Manifest, options: { once: boolean }): AddedPack {
    let manifest = unsealed;
    const twin = options.once ? findTwin(this.#root, manifest, this.#packs.values()) : undefined;
    if (twin !== undefined) manifest = { ...manifest, created: twin };
    const bytes = manifestBytes(manifest);
    checkReadable(manifest, bytes.hashed);
    const { hex, size } = this.#addParts(bytes.hashed);
    const sealed = joined(bytes.sealed(hex));
    const isThere = hasPack(this.#root, hex);
    const isSealed = isThere && isSoundEntry(this.#root, hex, { sealed, manifest });
    if (isThere && !isSealed) this.#repaired.push(hex);
    if (!isSealed && !this.#packs.has(hex)) {
      const path = this.stage(`pack${this.#packs.size === 0 ? "" : this.#packs.size}`, sealed);
      this.#packs.set(hex, { manifest, size, path });
    }
    return { hex, manifest, isThere, isSealed };
  }

  /**
   * Commits these packs in this order, with the objects that they reach, and nothing else. The last new one
   * of `main` becomes `latest`. `runs`: packs by run.
   */
  commit(
    packs: readonly AddedPack[],
    main = packs,
    runs: readonly (readonly AddedPack[])[] = [packs],
  ): Added[] {
    const isNew = firstOfEach(packs.filter(({ isThere }) => !isThere));
    const latest = main.findLast((pack) => isNew.has(pack))?.hex;
    const sound = packs.filter(({ isSealed }) => isSealed).map(({ hex }) => packPath(this.#root, hex));
    const staged = new Map(
      packs.flatMap(({ hex, isSealed }) =>
        isSealed ? [] : [[hex, (this.#packs.get(hex) as StagedPack).path] as const],
      ),
    );
    const others = [...sound, ...staged.values()];
    if (latest !== undefined) others.push(this.stage("latest", Buffer.from(`${toReference(latest)}\n`)));
    const objects = new Map(packs.map((pack) => [pack, objectsOf(pack)]));
    const [only, ...more] = objects.values();
    this.#commitObjects(others, more.length === 0 ? (only ?? new Set()) : union([...objects.values()]));
    this.check();
    for (const [hex, from] of staged) {
      const path = packPath(this.#root, hex);
      withPath(path, "create", () => fs.renameSync(from, path));
    }
    // Also if the pack existed: the process that added it may not have reached this line yet.
    if (this.#flushes) flushFolder(join(this.#root, "packs"));
    const notice = latest === undefined ? undefined : this.#moveLatest();
    const sizes = sizesOf(runs, objects, (hex) => this.#blobs.get(hex));
    return packs.map((pack) => {
      const reached = objects.get(pack) as Set<string>;
      // Blobs that an existing pack had lost count as repaired, too.
      const isOld = !isNew.has(pack) && this.#wasThere(pack.hex);
      const restored = isOld ? [...reached].filter((blob) => this.#blobs.get(blob)?.isStaged === true) : [];
      const own = this.#repaired.filter((blob) => reached.has(blob));
      const repaired = [...new Set([...own, ...restored])];
      return { ...pack, isNew: isNew.has(pack), ...(sizes.get(pack) as Sizes), repaired, notice };
    });
  }

  /** Returns whether a pack existed before this batch; another writer may have added it meanwhile. */
  #wasThere(hex: string): boolean {
    const stat = fs.lstatSync(packPath(this.#root, hex), { throwIfNoEntry: false });
    return stat !== undefined && stat.ctimeMs < this.#started;
  }

  /** Moves `latest`, a convenience: the pack is already durable, so a failure is only reported. */
  #moveLatest(): string | undefined {
    const latest = latestPath(this.#root);
    try {
      withPath(latest, "write", () => fs.renameSync(join(this.#folder, "latest"), latest));
      return undefined;
    } catch (error) {
      if (error instanceof CtxError)
        return `the pack is sealed, but latest does not point to it: ${error.message}`;
      throw error;
    }
  }

  /** Moves the objects into place; `others` are flushed with them. */
  #commitObjects(others: string[], wanted: ReadonlySet<string>): void {
    const root = this.#root;
    const folder = this.#folder;
    const fresh: string[] = [];
    const found: string[] = [];
    for (const [hex, blob] of this.#blobs) if (wanted.has(hex)) (blob.isStaged ? fresh : found).push(hex);
    if (fresh.length + found.length < wanted.size)
      throw new Error("a pack reaches a blob that was not added");
    // Yields one path at a time: a long run has hundreds of thousands.
    const files = {
      *[Symbol.iterator](): Generator<string> {
        for (const hex of fresh) yield `${folder}/${hex}`;
        yield* others;
        // Found objects too: another writer, git or cp may have left them in memory only.
        for (const hex of found) yield objectPath(root, hex);
      },
    };
    if (this.#flushes) flush(root, { files, folders: [] });
    this.check();
    for (const hex of fresh) {
      this.#makePrefix(hex.slice(0, 2));
      const path = objectPath(root, hex);
      withPath(path, "create", () => fs.renameSync(join(this.#folder, hex), path));
    }
    const folders = new Set<string>();
    for (const hexes of [fresh, found])
      for (const hex of hexes) folders.add(`${root}/objects/${hex.slice(0, 2)}`);
    // The store's own folder too: a process that recreated objects/ or packs/ may have died before this.
    if (this.#flushes) flush(root, { files: [], folders: [...folders, join(root, "objects"), root] });
  }

  #makePrefix(prefix: string): void {
    if (this.#prefixes.has(prefix)) return;
    makeFolder(join(this.#root, "objects", prefix), this.#modes.folder);
    this.#prefixes.add(prefix);
  }

  /**
   * Returns whether the store holds the object intact. A damaged object is recorded, and will be replaced.
   */
  #holds(hex: string, bytes?: Buffer): boolean {
    const prefix = hex.slice(0, 2);
    if (!this.#prefixes.has(prefix)) return false;
    const path = objectPath(this.#root, hex);
    // A run packed again finds everything, a new one nothing, so the last result decides which check is
    // first: opening a missing file costs ten times this check. A dangling link is no object, and will be
    // replaced.
    if (!this.#finds && !fs.existsSync(path)) return false;
    this.#finds = isIntact(this.#root, hex, bytes);
    if (this.#finds) return true;
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isDirectory())
      throw new CtxError("damaged", `${path} is a folder, but should be a blob`, {
        hint: "move it away, then try again",
      });
    this.#repaired.push(hex);
    return false;
  }

  /** Stages a file, which the caller flushes and moves into place in the store. */
  stage(name: string, bytes: Buffer | readonly Buffer[], mode = 0o444): string {
    this.refresh();
    const path = `${this.#folder}/${name}`;
    const isLarge = Buffer.isBuffer(bytes) && bytes.length >= largeFile;
    const isSoonFlushed = this.#flushes && (++this.#staged <= manyPaths || isLarge);
    this.stagedBytes += writeNew(path, bytes, this.#modes.file(mode), { isSoonFlushed });
    return path;
  }

  /** Moves a staged file to its place in the store, whose folder the caller flushes. */
  moveIn(staged: string, path: string): void {
    this.#flushStaged(staged);
    withPath(path, "create", () => fs.renameSync(staged, path));
  }

  /** Does the same unless the name is taken; returns whether it was free. */
  moveInIfFree(staged: string, path: string): boolean {
    this.#flushStaged(staged);
    return withPath(path, "create", () => linkIfFree(staged, path));
  }

  #flushStaged(staged: string): void {
    flush(this.#root, { files: [staged], folders: [] });
    this.check();
  }

  /** Shows other processes that the work goes on; call it during long work. */
  refresh(): void {
    this.#lock.refresh();
  }

  /** Throws if another process took over the lock: nothing may be made visible or removed then. */
  check(): void {
    this.#lock.check();
  }
}
