// A pack as an OCI artifact: the form that registries and other programs see. Every byte follows from the
// pack alone, so that the artifact is the same wherever it is made. docs/oci.md specifies it.
import { canonicalBytes } from "../base/json/canonical.js";
import { hexOf, type Reference, sha256, startSha256, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { type Manifest, reached } from "../model/manifest.js";
import { objectSize, readObject, readObjectInto, streamObject } from "../store/objects.js";
import { type Pack, readPack } from "../store/packs.js";
import { type LayerPlan, leastLarge, planLayers, type SizedBlob } from "./layers.js";
import { blockSize, entrySize, tarEnd, tarHeader } from "./tar.js";

export const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
  empty: "application/vnd.oci.empty.v1+json",
  artifact: "application/vnd.contextsubstrate.pack.v1",
  pack: "application/vnd.contextsubstrate.manifest.v1+json",
  blob: "application/vnd.contextsubstrate.blob.v1",
  tar: "application/vnd.contextsubstrate.blobs.v1.tar",
} as const;

/** The config of an artifact that has none. */
export const emptyConfig: Buffer = Buffer.from("{}");
export const emptyConfigHex: string = sha256(emptyConfig);

export const annotations = {
  prefix: "dev.contextsubstrate.prefix",
  created: "org.opencontainers.image.created",
  model: "dev.contextsubstrate.model",
  steps: "dev.contextsubstrate.steps",
  /** Read where another program has added it; ctx writes none, so that every byte follows from the pack. */
  title: "org.opencontainers.image.title",
  refName: "org.opencontainers.image.ref.name",
} as const;

/** The mode of every file in a tar of blobs. */
export const blobMode = 0o444;

export interface Descriptor {
  mediaType: string;
  digest: Reference;
  size: number;
  annotations?: Record<string, string>;
}

export interface Layer extends SizedBlob {
  mediaType: string;
  /** Only for a tar: the prefix of all names in it, and its blobs. */
  tar?: { prefix: string; blobs: SizedBlob[] };
}

export interface Artifact {
  /** The pack's hash. */
  hex: string;
  manifest: Manifest;
  layers: Layer[];
  /** The OCI manifest, and its hash. */
  bytes: Buffer;
  digest: string;
}

/**
 * Builds the artifact of a pack. Small blobs are read for it; `kept` holds them in memory, so that they are
 * read once.
 */
export function artifactOf(
  root: string,
  hex: string,
  kept: TarMemory,
  { manifest, fromGo }: Pick<Pack, "manifest" | "fromGo"> = readPack(root, hex),
): Artifact {
  if (fromGo)
    throw new CtxError(
      "unknown-version",
      `ctx://${hex.slice(0, 12)} was sealed by the Go implementation of ctx, and cannot be sent`,
      {
        hint: `\`ctx fork ${hex.slice(0, 12)}\` makes a draft of it; \`ctx pack --allow-empty\` seals that as a pack that can be sent`,
      },
    );
  const names = new Set([...reached(manifest)].map(hexOf));
  const plan = planLayers([...names].map((blob) => ({ hex: blob, size: kept.sizeOf(root, blob) })));
  const layers = layersOf(root, { hex, size: kept.sizeOf(root, hex) }, plan, kept);
  const bytes = canonicalBytes(ociManifest(manifest, layers));
  return { hex, manifest, layers, bytes, digest: sha256(bytes) };
}

function layersOf(root: string, pack: SizedBlob, { tars, large }: LayerPlan, kept: TarMemory): Layer[] {
  return [
    { ...pack, mediaType: mediaTypes.pack },
    ...tars.map(({ prefix, size, blobs }): Layer => {
      const hex = kept.hash(blobs, () => tarPieces(root, blobs, { kept, isBrief: true }));
      return { hex, size, mediaType: mediaTypes.tar, tar: { prefix, blobs } };
    }),
    ...large.map((blob): Layer => ({ ...blob, mediaType: mediaTypes.blob })),
  ];
}

function ociManifest({ created, model, steps }: Manifest, layers: readonly Layer[]): object {
  return {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType: mediaTypes.artifact,
    config: {
      mediaType: mediaTypes.empty,
      digest: toReference(emptyConfigHex),
      size: emptyConfig.length,
    },
    layers: layers.map(
      ({ hex, size, mediaType, tar }): Descriptor => ({
        mediaType,
        digest: toReference(hex),
        size,
        ...(tar === undefined ? {} : { annotations: { [annotations.prefix]: tar.prefix } }),
      }),
    ),
    annotations: {
      [annotations.created]: created,
      // Without half a surrogate pair at the end, which would not be valid JSON.
      [annotations.model]: model.identifier.slice(0, maxModel).replace(/[\ud800-\udbff]$/, ""),
      [annotations.steps]: String(steps.length),
    },
  };
}

const maxModel = 200;

function hashOf(pieces: Iterable<Buffer>): string {
  const hash = startSha256();
  for (const piece of pieces) hash.add(piece);
  return hash.hex();
}

/**
 * Passes the bytes of a layer to `take`, each piece valid until the next. Throws if an object in the store is
 * damaged.
 */
export function sendLayer(root: string, layer: Layer, kept: TarMemory, take: (piece: Buffer) => void): void {
  if (layer.tar === undefined) {
    streamObject(root, layer.hex, take);
    return;
  }
  for (const piece of tarPieces(root, layer.tar.blobs, { kept })) take(piece);
}

/**
 * Small blobs are joined into pieces of this many bytes: allocating a buffer for each would take longer than
 * reading it.
 */
const pieceSize = 1 << 20;
let scratch: Buffer | undefined;

/**
 * Yields a tar in pieces, each of which has whole entries. `isBrief`: a piece is valid until the next one of
 * any tar.
 */
function* tarPieces(
  root: string,
  blobs: readonly SizedBlob[],
  { kept, isBrief = false }: { kept: TarMemory; isBrief?: boolean },
): Generator<Buffer> {
  let left = blobs.reduce((sum, { size }) => sum + entrySize(size), 0);
  let piece: Buffer = Buffer.alloc(0);
  let at = 0;
  for (const { hex, size } of blobs) {
    const length = entrySize(size);
    if (at + length > piece.length) {
      if (at > 0) yield piece.subarray(0, at);
      if (isBrief && length <= pieceSize) piece = scratch ??= Buffer.allocUnsafeSlow(pieceSize);
      else piece = Buffer.allocUnsafeSlow(Math.max(length, Math.min(left, pieceSize)));
      at = 0;
    }
    const bytes = kept.get(hex) ?? readObject(root, hex);
    if (bytes.length !== size) throw new CtxError("damaged", `blob ${hex} changed while it was read`);
    tarHeader({ name: hex, size, mode: blobMode }).copy(piece, at);
    bytes.copy(piece, at + blockSize);
    piece.fill(0, at + blockSize + size, at + length);
    at += length;
    left -= length;
  }
  if (at > 0) yield piece.subarray(0, at);
  yield tarEnd;
}

/**
 * Small blobs that were read for tars, up to some size: they are scanned, hashed and sent right after that.
 */
export class TarMemory {
  readonly #blobs = new Map<string, Buffer>();
  /** The hashes of tars, by their contents: packs that were made from one another share most tars. */
  readonly #hashes = new Map<string, string>();
  #left = 64 << 20;
  #room: Buffer = Buffer.alloc(0);

  get(hex: string): Buffer | undefined {
    return this.#blobs.get(hex);
  }

  /** Returns the hash of the tar of these blobs. */
  hash(blobs: readonly SizedBlob[], pieces: () => Iterable<Buffer>): string {
    const names = sha256(Buffer.from(blobs.map(({ hex }) => hex).join("\n")));
    const known = this.#hashes.get(names) ?? hashOf(pieces());
    this.#hashes.set(names, known);
    return known;
  }

  /** Returns the size of a blob. A small one is read at once: most of the time goes into opening it. */
  sizeOf(root: string, hex: string): number {
    const known = this.#blobs.get(hex)?.length ?? (this.#left > 0 ? undefined : objectSize(root, hex));
    if (known !== undefined) return known;
    const { size, bytes } = readObjectInto(root, hex, (of) => this.#place(of));
    if (bytes?.length === size) this.#blobs.set(hex, bytes);
    return size;
  }

  #place(size: number): Buffer | undefined {
    if (size >= leastLarge || this.#left <= 0) return undefined;
    if (size > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(pieceSize);
      this.#left -= pieceSize;
    }
    const place = this.#room.subarray(0, size);
    this.#room = this.#room.subarray(size);
    return place;
  }
}
