// Packs that arrive from elsewhere. Everything stays in the quarantine of a batch until it is known to be
// complete: each blob has the hash that names it, and every pack has every blob that it reaches. Then the
// store's own write order makes the packs visible.
import { hexOf, isHash, sha256, startSha256 } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { smallSize } from "../base/fs/files.js";
import { appendAll } from "../base/lists.js";
import { type Manifest, reached } from "../model/manifest.js";
import { readManifest } from "../model/read-manifest.js";
import { sortKey } from "../model/times.js";
import type { Added, Batch } from "../store/batch-lock.js";
import { blobMode } from "./artifact.js";
import type { SizedBlob } from "./layers.js";
import type { DeclaredTar } from "./read-artifact.js";
import { briefEntry, readTar } from "./read-tar.js";

/** No run has a longer manifest than this. */
export const maxPackManifest = 1 << 30;

export class Arrival {
  readonly #batch: Batch;
  readonly #manifests = new Map<string, { manifest: Manifest; reaches: Set<string> }>();

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  has(pack: string): boolean {
    return this.#manifests.has(pack);
  }

  /** Adds the manifest of a pack. Consumes `bytes`. */
  addManifest(hex: string, bytes: Buffer): void {
    if (sha256(bytes) !== hex) throw wrong(hex, sha256(bytes));
    this.addRead(hex, readForeign(bytes, hex).manifest);
  }

  /** Adds a manifest that was read already. Its hash is checked when it is written. */
  addRead(hex: string, manifest: Manifest): void {
    this.#manifests.set(hex, { manifest, reaches: new Set([...reached(manifest)].map(hexOf)) });
  }

  /** Throws unless a pack reaches all of these: a bundle contains nothing but what its packs need. */
  expect(pack: string, blobs: readonly SizedBlob[]): void {
    const reaches = this.#manifests.get(pack)?.reaches;
    for (const { hex } of blobs)
      if (reaches?.has(hex) !== true)
        throw new CtxError(
          "bundle-invalid",
          `ctx://${pack.slice(0, 12)} comes with the blob ${hex}, which it does not refer to`,
        );
  }

  /** Adds a blob, which must have this hash and size. */
  addBlob({ hex, size }: SizedBlob, pieces: Iterable<Buffer>): void {
    const found = this.#batch.addPieces(pieces);
    if (found.hex !== hex) throw wrong(hex, found.hex);
    if (found.size !== size) throw wrongSize(hex, size, found.size);
  }

  /** Adds the blobs of a tar that belongs to these packs. */
  addTar(tar: DeclaredTar, packs: readonly string[], pieces: Iterable<Buffer>): void {
    const hash = startSha256();
    let size = 0;
    function* hashed(): Generator<Buffer> {
      for (const piece of pieces) {
        hash.add(piece);
        size += piece.length;
        if (size > tar.size) throw wrongSize(tar.hex, tar.size, size);
        yield piece;
      }
    }
    const rules = { name: `the tar ${tar.hex.slice(0, 12)}`, exactly: blobMode };
    let previous = "";
    for (const entry of readTar(hashed(), rules)) {
      const { name } = entry;
      if (!isHash(name) || !name.startsWith(tar.prefix))
        throw new CtxError("bundle-invalid", `${rules.name} contains an entry that does not belong there`);
      if (name <= previous)
        throw new CtxError("bundle-invalid", `the entries of ${rules.name} are not in order`);
      previous = name;
      for (const pack of packs) this.expect(pack, [{ hex: name, size: entry.size }]);
      const found =
        entry.size > smallSize
          ? this.#batch.addPieces(entry.pieces).hex
          : this.#batch.addBytes(briefEntry(entry)).hex;
      if (found !== name) throw wrong(name, found);
    }
    if (size !== tar.size) throw wrongSize(tar.hex, tar.size, size);
    const actual = hash.hex();
    if (actual !== tar.hex) throw wrong(tar.hex, actual);
  }

  /** Checks that the packs are complete and commits them, parents and sub-agents first. */
  publish(): Added[] {
    const order = this.#inOrder();
    const added = order.map(({ hex, manifest }) => {
      const pack = this.#batch.addPack(manifest, { once: false });
      if (pack.hex !== hex) throw wrong(hex, pack.hex);
      return pack;
    });
    // Only now, because a run may contain the manifest of another one as a blob.
    for (const { hex, reaches } of order) for (const blob of reaches) this.#check(hex, blob);
    const tops = new Set(topsOf(this.manifests()));
    const main = added
      .filter(({ hex }) => tops.has(hex))
      .sort((a, b) => (sortKey(a.manifest.created) < sortKey(b.manifest.created) ? -1 : 1));
    return this.#batch.commit(added, main);
  }

  manifests(): Map<string, Manifest> {
    return new Map([...this.#manifests].map(([hex, { manifest }]) => [hex, manifest]));
  }

  #check(pack: string, blob: string): void {
    try {
      this.#batch.addStored(blob);
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== "missing") throw error;
      throw new CtxError(
        "bundle-invalid",
        `ctx://${pack.slice(0, 12)} needs ${blob}, which is missing from the bundle`,
        {
          data: { hex: blob },
        },
      );
    }
  }

  #inOrder(): { hex: string; manifest: Manifest; reaches: Set<string> }[] {
    const order = new Map<string, { hex: string; manifest: Manifest; reaches: Set<string> }>();
    const left = [...this.#manifests.keys()].sort();
    while (left.length > 0) {
      const hex = left.at(-1) as string;
      const own = this.#manifests.get(hex) as { manifest: Manifest; reaches: Set<string> };
      const before = partsOf(own.manifest).filter((part) => this.#manifests.has(part) && !order.has(part));
      if (before.length > 0) appendAll(left, before);
      else {
        left.pop();
        order.set(hex, { hex, ...own });
      }
    }
    return [...order.values()];
  }
}

/** Returns the packs that a manifest names: its parent, and those of its sub-agents. */
export function partsOf(manifest: Manifest): string[] {
  return [...(manifest.parent === undefined ? [] : [hexOf(manifest.parent)]), ...subagentsOf(manifest)];
}

/** Returns the packs of a run's sub-agents. */
export function subagentsOf({ steps }: Manifest): string[] {
  return [...new Set(steps.flatMap(({ pack }) => (pack === undefined ? [] : [hexOf(pack)])))];
}

/** Returns the packs that no other one of these names. */
export function topsOf(packs: ReadonlyMap<string, Manifest>): string[] {
  const named = new Set([...packs.values()].flatMap(partsOf));
  return [...packs.keys()].filter((hex) => !named.has(hex));
}

/** Reads a manifest from elsewhere, and blames the bundle, not the store, for its problems. */
export function readForeign(bytes: Buffer, hex: string): { manifest: Manifest } {
  try {
    return readManifest(bytes, `ctx://${hex}`);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "damaged") throw error;
    throw new CtxError("bundle-invalid", error.message, { problems: error.problems ?? [] });
  }
}

export function wrong(expected: string, actual: string): CtxError {
  return new CtxError("bundle-invalid", `what arrived as the blob ${expected} has the hash ${actual}`, {
    data: { expected, actual },
  });
}

export function wrongSize(hex: string, expected: number, actual: number): CtxError {
  return new CtxError("bundle-invalid", `${hex} should have ${expected} bytes, but has ${actual}`, {
    data: { expected, actual },
  });
}
