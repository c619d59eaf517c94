// Downloads what some packs need: only blobs that are missing in the store, and only those tars that hold one
// of them.
import * as fs from "node:fs";
import { hexOf } from "../base/digest.js";
import { CtxError, withPath } from "../base/errors.js";
import { piecesOf, readWhole, usingRegular } from "../base/fs/files.js";
import { type Manifest, reached } from "../model/manifest.js";
import type { Traffic } from "../results/share.js";
import type { Batch } from "../store/batch-lock.js";
import { hasObject, isIntact, readObject } from "../store/objects.js";
import type { Store } from "../store/store.js";
import { type Arrival, maxPackManifest, readForeign } from "../bundle/arrival.js";
import type { SizedBlob } from "../bundle/layers.js";
import { notAPack, type DeclaredArtifact, type DeclaredTar } from "../bundle/read-artifact.js";
import { type Downloaded, downloadBlob } from "./download.js";
import { downloadsFolder } from "./downloads-folder.js";
import { inParallel, type Parallel } from "./parallel.js";
import type { Registry } from "./registry.js";

export interface WantedOptions extends Parallel {
  progress(done: number, of: number): void;
}

interface WantedPack {
  artifact: DeclaredArtifact;
  manifest: Manifest;
  reaches: Set<string>;
  tarOf: (hex: string) => DeclaredTar | undefined;
}

/**
 * Tars and manifests are held in memory up to this many bytes, which a pull that is cut off would download
 * again.
 */
const maxHeld = 16 << 20;

export class WantedPacks {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #options: WantedOptions;
  readonly #folder: string;
  readonly #packs = new Map<string, WantedPack>();
  /** Downloads, by hash. */
  readonly #fetched = new Map<string, Downloaded>();
  /** Hashes of blobs that are damaged in the store. */
  readonly #damaged = new Set<string>();
  #held = 0;
  readonly received: Traffic = { blobs: 0, bytes: 0 };
  resumed = 0;
  #done = 0;
  #of = 0;

  constructor(store: Store, registry: Registry, options: WantedOptions) {
    this.#store = store;
    this.#registry = registry;
    this.#options = options;
    this.#folder = downloadsFolder(store.root);
  }

  /** Adds a pack, and downloads its manifest at once, because that names everything else. */
  async addPack(artifact: DeclaredArtifact): Promise<Manifest> {
    const { pack, blobs } = artifact;
    const { manifest } = readForeign(await this.#manifestBytes(pack), pack.hex);
    const reaches = new Set([...reached(manifest)].map(hexOf));
    const bad = (why: string): CtxError => notAPack(`${this.#registry.text}:${pack.hex.slice(0, 12)}`, why);
    for (const { hex } of blobs)
      if (!reaches.has(hex)) throw bad(`it comes with the blob ${hex}, which it does not refer to`);
    const covered = new Set(blobs.map(({ hex }) => hex));
    const tarOf = tarFinder(artifact);
    for (const hex of reaches)
      if (!covered.has(hex) && tarOf(hex) === undefined && !hasObject(this.#store.root, hex))
        throw bad(`it refers to the blob ${hex}, which none of its layers contains`);
    this.#packs.set(pack.hex, { artifact, manifest, reaches, tarOf });
    return manifest;
  }

  async #manifestBytes(pack: SizedBlob): Promise<Buffer> {
    const { root } = this.#store;
    if (hasObject(root, pack.hex) && isIntact(root, pack.hex)) return readObject(root, pack.hex);
    if (pack.size > maxPackManifest)
      throw new CtxError(
        "too-large",
        `the manifest of ctx://${pack.hex.slice(0, 12)} has ${pack.size} bytes`,
      );
    this.#checkRoom(pack.size);
    this.#of += pack.size;
    const { path, bytes } = await this.#download(pack, false);
    if (bytes !== undefined) return bytes;
    return withPath(path, "read", () => usingRegular(path, ({ descriptor }) => readWhole(descriptor)));
  }

  /** Downloads everything that is missing and was not downloaded yet. */
  async fetch(): Promise<void> {
    const missing = this.#missing();
    const bytes = missing.reduce((sum, { size }) => sum + size, 0);
    this.#of += bytes;
    this.#checkRoom(bytes);
    const tars = new Set(
      [...this.#packs.values()].flatMap(({ artifact }) => artifact.tars.map(({ hex }) => hex)),
    );
    await inParallel(missing, this.#options, async (blob) => {
      await this.#download(blob, !tars.has(blob.hex));
    });
  }

  #missing(): SizedBlob[] {
    const found = new Map<string, SizedBlob>();
    const add = (blob: SizedBlob): void => {
      const known = found.get(blob.hex);
      if (known !== undefined && known.size !== blob.size)
        throw notAPack(this.#registry.text, `two of its packs disagree about the size of ${blob.hex}`);
      if (!this.#fetched.has(blob.hex)) found.set(blob.hex, blob);
    };
    for (const { artifact, reaches, tarOf } of this.#packs.values()) {
      for (const blob of artifact.blobs) if (this.#isMissing(blob.hex)) add(blob);
      const apart = new Set(artifact.blobs.map(({ hex }) => hex));
      for (const hex of reaches) {
        if (apart.has(hex) || !this.#isMissing(hex)) continue;
        const tar = tarOf(hex);
        if (tar !== undefined) add(tar);
      }
    }
    // The largest first, because they take longest.
    return [...found.values()].sort((a, b) => b.size - a.size);
  }

  #isMissing(hex: string): boolean {
    return this.#damaged.has(hex) || !hasObject(this.#store.root, hex);
  }

  /** Downloads a blob. `isLasting`: its file becomes part of the store as it is. */
  async #download(blob: SizedBlob, isLasting: boolean): Promise<Downloaded> {
    const isHeld = !isLasting && this.#held + blob.size <= maxHeld;
    if (isHeld) this.#held += blob.size;
    const downloaded = await downloadBlob(this.#registry, blob, {
      folder: this.#folder,
      as: isLasting ? "lasting" : isHeld ? "bytes" : "passing",
      onBytes: (bytes) => {
        this.#done += bytes;
        this.#options.progress(this.#done, this.#of);
      },
    });
    this.#fetched.set(blob.hex, downloaded);
    this.received.blobs++;
    this.received.bytes += blob.size;
    this.resumed += downloaded.resumed;
    return downloaded;
  }

  /** Throws if the registry announces more bytes than the disk has room for. */
  #checkRoom(bytes: number): void {
    const { blocks, bavail, bsize } = withPath(this.#folder, "access", () => fs.statfsSync(this.#folder));
    // Some file systems do not report their size.
    if (blocks > 0 && bytes > bavail * bsize)
      throw new CtxError(
        "too-large",
        `the pull needs ${bytes} bytes, but only ${bavail * bsize} are free here`,
      );
  }

  /** Moves the downloads into a batch. */
  addTo(batch: Batch, arrival: Arrival): void {
    for (const [hex, { manifest }] of this.#packs) arrival.addRead(hex, manifest);
    const tars = new Map<string, { tar: DeclaredTar; packs: string[] }>();
    for (const [hex, { artifact }] of this.#packs)
      for (const tar of artifact.tars)
        if (this.#fetched.has(tar.hex)) {
          const known = tars.get(tar.hex);
          if (known === undefined) tars.set(tar.hex, { tar, packs: [hex] });
          else known.packs.push(hex);
        }
    for (const { tar, packs } of tars.values()) {
      const { path, bytes } = this.#fetched.get(tar.hex) as Downloaded;
      if (bytes !== undefined) arrival.addTar(tar, packs, [bytes]);
      else
        withPath(path, "read", () =>
          usingRegular(path, ({ descriptor }) => arrival.addTar(tar, packs, piecesOf(descriptor))),
        );
    }
    this.#checkStored(batch);
    for (const { artifact } of this.#packs.values())
      for (const { hex, size } of artifact.blobs) {
        const downloaded = this.#fetched.get(hex);
        if (downloaded !== undefined && fs.existsSync(downloaded.path))
          batch.adopt(downloaded.path, { hex, size });
      }
  }

  /**
   * Throws if an object in the store is damaged, before large files are moved that would be lost with the
   * batch.
   */
  #checkStored(batch: Batch): void {
    for (const { reaches } of this.#packs.values())
      for (const hex of reaches)
        if (!this.#fetched.has(hex) && hasObject(this.#store.root, hex)) batch.addStored(hex);
  }

  /**
   * Searches, after a failure, for objects that are damaged or missing in the store. Returns whether there is
   * something to download.
   */
  findDamaged(): boolean {
    for (const [hex, { path, bytes }] of this.#fetched)
      if (bytes === undefined && !fs.existsSync(path)) this.#fetched.delete(hex);
    for (const { reaches } of this.#packs.values())
      for (const hex of reaches)
        if (hasObject(this.#store.root, hex) && !isIntact(this.#store.root, hex)) this.#damaged.add(hex);
    return this.#missing().length > 0;
  }

  /** Removes the downloaded files. */
  clear(): void {
    for (const { path } of this.#fetched.values()) fs.rmSync(path, { force: true });
  }
}

/**
 * Returns a function that finds the only tar that can hold a blob; indexed, because there may be many of
 * both.
 */
function tarFinder({ tars }: DeclaredArtifact): (hex: string) => DeclaredTar | undefined {
  const byPrefix = new Map(tars.map((tar) => [tar.prefix, tar]));
  const lengths = [...new Set(tars.map(({ prefix }) => prefix.length))];
  return (hex) => {
    for (const length of lengths) {
      const tar = byPrefix.get(hex.slice(0, length));
      if (tar !== undefined) return tar;
    }
    return undefined;
  };
}
