// What a batch takes over from elsewhere, and what it flushes.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toReference } from "../../../src/base/digest.js";
import type { Manifest } from "../../../src/model/manifest.js";
import type { Added } from "../../../src/store/commit-result.js";
import type { Batch } from "../../../src/store/batch.js";
import { isIntact } from "../../../src/store/objects.js";
import type { Store } from "../../../src/store/store.js";
import { withBatch } from "../../../src/store/batch-lock.js";
import { hashOf } from "../../../dev/bundles.js";
import { tempFolder, tempStore } from "../../../dev/folders.js";

const text = "You are terse.";
const hex = hashOf(text);

const manifest: Manifest = {
  version: "0.1",
  hash: "",
  created: "2026-02-10T12:00:00Z",
  model: { identifier: "m", parameters: {} },
  system_prompt: toReference(hex),
  prompts: [],
  inputs: [],
  steps: [],
  outputs: [],
  environment: { os: "l", runtime: "n", tool_versions: {} },
};

function downloaded(): string {
  const path = join(tempFolder(), "download");
  fs.writeFileSync(path, text, { mode: 0o444 });
  return path;
}

function sealed(store: Store, prepare: (batch: Batch) => void, flushes = true): Added {
  return withBatch(
    store,
    "add",
    (batch) => {
      prepare(batch);
      return batch.commit([batch.addPack(manifest, { once: false })])[0] as Added;
    },
    { flushes },
  );
}

describe("a pack in a batch", () => {
  it("batch: a pack is refused if a blob that it reaches was not added", () => {
    const store = tempStore();
    expect(() => sealed(store, () => undefined)).toThrow("reaches a blob that was not added");
    expect(fs.readdirSync(join(store.root, "packs"))).toEqual([]);
  });
});

describe("a file that a batch adopts", () => {
  it("batch: an adopted file is moved into the store", () => {
    const [store, path] = [tempStore(), downloaded()];
    const { bytesNew } = sealed(store, (batch) => batch.adopt(path, { hex, size: text.length }));
    expect(bytesNew).toBeGreaterThan(text.length);
    expect(fs.existsSync(path)).toBe(false);
    expect(isIntact(store.root, hex)).toBe(true);
  });

  it("batch: an adopted file stays where it is if the store or the batch has its bytes", () => {
    const store = tempStore();
    const [early, late] = [downloaded(), downloaded()];
    sealed(store, (batch) => {
      batch.addBytes(Buffer.from(text));
      batch.adopt(early, { hex, size: text.length });
    });
    expect(sealed(store, (batch) => batch.adopt(late, { hex, size: text.length }))).toMatchObject({
      bytesNew: 0,
      bytesShared: text.length,
    });
    expect([early, late].map((path) => fs.existsSync(path))).toEqual([true, true]);
  });

  it("batch: an adopted file replaces a damaged object", () => {
    const store = tempStore();
    sealed(store, (batch) => void batch.addBytes(Buffer.from(text)));
    const object = join(store.root, "objects", hex.slice(0, 2), hex.slice(2));
    fs.chmodSync(object, 0o644);
    fs.writeFileSync(object, "something else");
    const path = downloaded();
    expect(sealed(store, (batch) => batch.adopt(path, { hex, size: text.length })).repaired).toEqual([hex]);
    expect(isIntact(store.root, hex)).toBe(true);
  });

  it("batch: an adopted file is removed with the batch when that fails", () => {
    const [store, path] = [tempStore(), downloaded()];
    const failing = (): void =>
      withBatch(store, "add", (batch) => {
        batch.adopt(path, { hex, size: text.length });
        throw new Error("something else");
      });
    expect(failing).toThrow("something else");
    expect(fs.readdirSync(join(store.root, "tmp"))).toEqual([]);
    expect(isIntact(store.root, hex)).toBe(false);
  });
});

describe("a batch that flushes nothing", () => {
  it("batch: a batch that flushes nothing makes the same pack", () => {
    const [one, other] = [tempStore(), tempStore()];
    const [flushed, unflushed] = [
      sealed(one, (batch) => void batch.addBytes(Buffer.from(text))),
      sealed(other, (batch) => void batch.addBytes(Buffer.from(text)), false),
    ];
    expect(unflushed.hex).toBe(flushed.hex);
    expect(fs.readFileSync(join(other.root, "packs", unflushed.hex))).toEqual(
      fs.readFileSync(join(one.root, "packs", flushed.hex)),
    );
  });
});
