// Reads a bundle from an untrusted source: an OCI image layout in a tar. No name in it is used as a path:
// entries have the few names of a layout, and blobs are named by hash. Entries in the order of our own
// bundles are added as they arrive; others are staged first.
import { hexOf, isHash, startSha256 } from "../base/digest.js";
import { CtxError, withPath } from "../base/errors.js";
import { piecesOf, usingDescriptor, usingRegular, writeAll } from "../base/fs/files.js";
import { JsonReader } from "../base/json/reader.js";
import { openNew } from "../base/fs/owner-mode.js";
import { count, list, object, optional, reference, required, text } from "../model/shape.js";
import type { Batch } from "../store/batch-lock.js";
import { Arrival, maxPackManifest, wrong, wrongSize } from "./arrival.js";
import { emptyConfig, emptyConfigHex, mediaTypes } from "./artifact.js";
import { leastLarge, type SizedBlob } from "./layers.js";
import { maxOciManifest, readArtifact, type DeclaredArtifact, type DeclaredTar } from "./read-artifact.js";
import { readTar, type TarEntry, wholeEntry } from "./read-tar.js";

const maxIndex = 16 << 20;

/** Adds the whole file to a batch, where it waits to be committed. */
export function readLayout(batch: Batch, pieces: Iterable<Buffer>, name: string): Arrival {
  return new LayoutReader(batch, name).read(pieces);
}

class LayoutReader {
  readonly #batch: Batch;
  readonly #name: string;
  readonly #arrival: Arrival;
  /** Hashes of the OCI manifests that the index names. */
  readonly #expected = new Set<string>();
  readonly #artifacts: DeclaredArtifact[] = [];
  /** What each blob is, according to the manifests read so far. */
  readonly #tars = new Map<string, { tar: DeclaredTar; packs: string[] }>();
  readonly #blobs = new Set<string>();
  readonly #packs = new Set<string>();
  /** The sizes that index and manifests declare, by hash. */
  readonly #sizes = new Map<string, number>();
  /** Blobs that were added, and blobs that are staged. */
  readonly #done = new Set<string>();
  readonly #waiting = new Map<string, { path: string; size: number }>();
  #hasIndex = false;
  #described = false;

  constructor(batch: Batch, name: string) {
    this.#batch = batch;
    this.#name = name;
    this.#arrival = new Arrival(batch);
  }

  read(pieces: Iterable<Buffer>): Arrival {
    const seen = new Set<string>();
    for (const entry of readTar(pieces, { name: this.#name, isBundle: true })) {
      const name = entry.name.replace(/^\.\//, "");
      if (seen.has(name)) throw this.#bad(`it contains ${name} twice`);
      seen.add(name);
      if (entry.isFolder) {
        if (!["", ".", "blobs/", "blobs/sha256/", "blobs", "blobs/sha256"].includes(name))
          throw this.#bad(`it contains an unexpected folder ${name}`);
      } else this.#takeFile(entry, name);
    }
    if (!this.#hasIndex) throw this.#bad("it contains no index.json");
    this.#takeWaiting();
    this.#checkComplete();
    return this.#arrival;
  }

  #takeFile(entry: TarEntry, name: string): void {
    if (name === "oci-layout") this.#whole(entry, maxIndex);
    else if (name === "index.json") this.#readIndex(this.#whole(entry, maxIndex));
    else {
      const hex = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(name)?.[1];
      if (hex === undefined || !isHash(hex)) throw this.#bad(`it contains an unexpected file ${name}`);
      if (!this.#takeBlob({ hex, size: entry.size }, entry.pieces)) this.#wait(hex, entry);
    }
  }

  /** Adds a blob if its kind is known by now, and returns whether it was. */
  #takeBlob(blob: SizedBlob, pieces: Iterable<Buffer>): boolean {
    const { hex, size } = blob;
    const isTar = this.#tars.has(hex);
    this.#checkSize(blob);
    if (this.#expected.has(hex)) {
      const bytes = checked(hex, readWhole(pieces, size, maxOciManifest));
      // A run may contain it as a blob, which only a later manifest reveals.
      if (size >= leastLarge) this.#batch.addBytes(bytes);
      this.#readOci(hex, bytes);
    } else if (this.#packs.has(hex)) this.#arrival.addManifest(hex, readWhole(pieces, size, maxPackManifest));
    else if (hex === emptyConfigHex && size === emptyConfig.length)
      checked(hex, readWhole(pieces, size, size));
    // Until all manifests are known, a blob may turn out to have a second role.
    else if (!this.#isDescribed() || (isTar && this.#blobs.has(hex))) return false;
    else if (isTar) this.#takeTar(blob, pieces);
    else if (this.#blobs.has(hex)) this.#arrival.addBlob(blob, pieces);
    else throw this.#bad(`it contains the blob ${hex}, which no pack in it refers to`);
    this.#done.add(hex);
    return true;
  }

  /** Returns whether the index and all manifests, which say what the blobs are, have been read. */
  #isDescribed(): boolean {
    this.#described ||= this.#hasIndex && this.#areDone(this.#expected) && this.#areDone(this.#packs);
    return this.#described;
  }

  #areDone(hexes: Iterable<string>): boolean {
    for (const hex of hexes) if (!this.#done.has(hex)) return false;
    return true;
  }

  #takeTar(blob: SizedBlob, pieces: Iterable<Buffer>): void {
    const { tar, packs } = this.#tars.get(blob.hex) as { tar: DeclaredTar; packs: string[] };
    this.#arrival.addTar(tar, packs, pieces);
  }

  /** Throws unless the declared size of a blob is right, and the same wherever it is declared. */
  #checkSize({ hex, size }: SizedBlob): void {
    const expected = this.#sizes.get(hex) ?? size;
    if (expected !== size) throw wrongSize(hex, expected, size);
  }

  #addSize(blob: SizedBlob): void {
    this.#checkSize(blob);
    this.#sizes.set(blob.hex, blob.size);
    const waiting = this.#waiting.get(blob.hex);
    if (waiting !== undefined) this.#checkSize({ hex: blob.hex, size: waiting.size });
  }

  #wait(hex: string, entry: TarEntry): void {
    const path = `${this.#batch.folder}/waiting-${hex}`;
    const hash = startSha256();
    withPath(path, "write", () =>
      usingDescriptor(openNew(path, 0o600), (descriptor) => {
        for (const piece of entry.pieces) {
          this.#batch.refresh();
          hash.add(piece);
          writeAll(descriptor, piece);
        }
      }),
    );
    const actual = hash.hex();
    if (actual !== hex) throw wrong(hex, actual);
    this.#waiting.set(hex, { path, size: entry.size });
  }

  /** Adds the staged blobs, whose kind is known now: manifests first, because they describe others. */
  #takeWaiting(): void {
    for (const which of [this.#expected, this.#packs])
      for (const hex of which) this.#takeOne(hex, (blob, pieces) => this.#takeBlob(blob, pieces));
    for (const hex of this.#waiting.keys()) {
      const isBoth = this.#tars.has(hex) && this.#blobs.has(hex);
      this.#takeOne(hex, (blob, pieces) =>
        isBoth ? this.#takeTar(blob, pieces) : this.#takeBlob(blob, pieces),
      );
      if (isBoth) this.#takeOne(hex, (blob, pieces) => this.#arrival.addBlob(blob, pieces));
      this.#done.add(hex);
    }
  }

  #takeOne(hex: string, take: (blob: SizedBlob, pieces: Iterable<Buffer>) => void): void {
    const waiting = this.#waiting.get(hex);
    if (waiting === undefined || this.#done.has(hex)) return;
    const { path, size } = waiting;
    withPath(path, "read", () =>
      usingRegular(path, ({ descriptor }) => take({ hex, size }, piecesOf(descriptor, { from: 0 }))),
    );
  }

  #readIndex(bytes: Buffer): void {
    this.#hasIndex = true;
    const { manifests } = parseIndex(bytes, this.#name);
    for (const { mediaType, digest, size } of manifests) {
      if (mediaType !== mediaTypes.manifest)
        throw this.#bad(`it contains an entry of type ${mediaType.slice(0, 100)}`);
      if (this.#expected.has(hexOf(digest))) throw this.#bad(`it names ${digest} twice`);
      this.#addSize({ hex: hexOf(digest), size });
      this.#expected.add(hexOf(digest));
    }
    if (manifests.length === 0) throw this.#bad("it contains no pack");
  }

  #readOci(hex: string, bytes: Buffer): void {
    const artifact = readArtifact(bytes, `${this.#name} (sha256:${hex.slice(0, 12)})`);
    const { pack, tars, blobs } = artifact;
    this.#artifacts.push(artifact);
    for (const blob of [pack, ...tars, ...blobs]) this.#addSize(blob);
    this.#packs.add(pack.hex);
    for (const blob of blobs) this.#blobs.add(blob.hex);
    for (const tar of tars) {
      const known = this.#tars.get(tar.hex);
      this.#tars.set(tar.hex, {
        tar: this.#narrower(tar, known?.tar ?? tar),
        packs: [...(known?.packs ?? []), pack.hex],
      });
    }
  }

  /** Returns the longer of two prefixes of a tar that two packs share: all names in it begin with both. */
  #narrower(one: DeclaredTar, other: DeclaredTar): DeclaredTar {
    const [longer, shorter] = one.prefix.length > other.prefix.length ? [one, other] : [other, one];
    if (longer.prefix.startsWith(shorter.prefix)) return longer;
    throw this.#bad(`its packs disagree about what the tar layer ${one.hex} contains`);
  }

  #checkComplete(): void {
    for (const { pack, tars, blobs } of this.#artifacts) {
      for (const { hex } of [pack, ...tars, ...blobs])
        if (!this.#done.has(hex)) throw this.#bad(`the blob ${hex} is missing`);
      this.#arrival.expect(pack.hex, blobs);
    }
    for (const hex of this.#expected)
      if (!this.#done.has(hex)) throw this.#bad(`the manifest ${hex} is missing`);
  }

  #whole(entry: TarEntry, most: number): Buffer {
    return wholeEntry(entry, most, { name: this.#name });
  }

  #bad(why: string): CtxError {
    return new CtxError("bundle-invalid", `${this.#name} is not a valid bundle of packs: ${why}`);
  }
}

const open = { open: true };
const entry = { mediaType: required(text()), digest: required(reference), size: required(count) };
const indexShape = object(
  {
    schemaVersion: required(count),
    mediaType: optional(text()),
    manifests: required(list(object(entry, open))),
  },
  open,
);

function parseIndex(bytes: Buffer, name: string): NonNullable<ReturnType<typeof indexShape.read>> {
  const bad = new CtxError(
    "bundle-invalid",
    `${name} is not a valid bundle of packs: its index.json cannot be read`,
  );
  try {
    const reader = new JsonReader(bytes);
    const index = indexShape.read(reader);
    reader.end();
    if (index === undefined || reader.problems.length > 0) throw bad;
    if (index.mediaType !== undefined && index.mediaType !== mediaTypes.index) throw bad;
    // A document that could also be read as a manifest is rejected.
    if (index.schemaVersion !== 2 || "layers" in index || "config" in index) throw bad;
    return index;
  } catch (error) {
    if (error instanceof CtxError && error.code === "not-json") throw bad;
    throw error;
  }
}

/** Reads all bytes of a blob, of which there must be `size`, and at most `most`. */
function readWhole(pieces: Iterable<Buffer>, size: number, most: number): Buffer {
  if (size > most) throw new CtxError("bundle-invalid", `a manifest of ${size} bytes is too large`);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const piece of pieces) at += piece.copy(bytes, at);
  return bytes;
}

function checked(hex: string, bytes: Buffer): Buffer {
  const hash = startSha256();
  hash.add(bytes);
  const actual = hash.hex();
  if (actual !== hex) throw wrong(hex, actual);
  return bytes;
}
