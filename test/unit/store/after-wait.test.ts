// What holds when a store changes under a process that has opened it.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gc } from "../../../src/ops/gc.js";
import { oldDownloads } from "../../../src/registry/downloads-folder.js";
import { withKeptCatalog, withCatalog } from "../../../src/store/catalog.js";
import { takeLock } from "../../../src/store/lock.js";
import { keptObjects } from "../../../src/store/reach.js";
import { Store } from "../../../src/store/store.js";
import { withBatch } from "../../../src/store/batch-lock.js";
import { tempStore } from "../../../dev/folders.js";
import { manifestOf, putObject, reportStore, sealedFrom } from "../../../dev/provenance.js";

const newer = '{"version":"0.1","extensions":["segments"]}';

describe("a store that a newer ctx upgraded after it was opened", () => {
  it("a store that a newer ctx upgraded after it was opened is not written to", () => {
    const store = tempStore();
    fs.writeFileSync(join(store.root, "config.json"), newer);
    expect(() => gc(store)).toThrow(/was written by a newer ctx/);
    expect(() => store.assertExists()).toThrow(/was written by a newer ctx/);
  });

  it("a store that was upgraded while a process waited for its lock is not written to", () => {
    const { root } = tempStore();
    const held = takeLock(root, "sweep");
    // Called after two seconds of waiting: the other process upgrades the store, and is done.
    const onWait = (): void => {
      fs.writeFileSync(join(root, "config.json"), newer);
      held.release();
    };
    const store = Store.open(root, { onWait });
    let hasRun = false;
    expect(() => withBatch(store, "sweep", () => void (hasRun = true))).toThrow(/was written by a newer ctx/);
    expect([hasRun, fs.readdirSync(join(root, "locks")), fs.readdirSync(join(root, "tmp"))]).toEqual([
      false,
      [],
      [],
    ]);
  });
});

describe("what a ref names", () => {
  it("the pack that a ref names is followed even where another pack has it as a content", async () => {
    const { root, hex } = await reportStore();
    const text = JSON.stringify({ ...manifestOf(root, hex) });
    const inside = [...text.matchAll(/sha256:([0-9a-f]{64})/g)].map(([, hash]) => hash as string);
    expect(inside.length).toBeGreaterThan(0);
    const manifest = { ...manifestOf(root, hex), names: `sha256:${hex}`, version: "0.2" };
    const other = putObject(root, JSON.stringify({ names: manifest.names, version: "0.2" }));
    fs.writeFileSync(join(root, "packs", other), sealedFrom(manifest, other));
    fs.rmSync(join(root, "packs", hex));
    fs.rmSync(join(root, "refs/latest"));
    fs.writeFileSync(join(root, "refs/latest"), `sha256:${hex}\n`);
    const { objects, newer: count } = keptObjects(Store.open(root));
    expect(count).toBe(1);
    for (const hash of inside) expect(objects.has(hash)).toBe(true);
  });
});

describe("a catalog in a store without packs/", () => {
  it("a catalog in a store without packs/ is never current", () => {
    const store = tempStore();
    fs.rmdirSync(join(store.root, "packs"));
    withCatalog(store, () => undefined);
    const later = new Date(Date.now() + 10_000);
    fs.utimesSync(join(store.root, "cache/catalog"), later, later);
    expect(withKeptCatalog(store, (_, { isCurrent }) => isCurrent)).toBe(false);
  });
});

describe("downloads that may not be looked at", () => {
  it("a folder of downloads that cannot be read counts as empty", () => {
    const { root } = tempStore();
    fs.mkdirSync(join(root, "cache"));
    fs.writeFileSync(join(root, "cache/downloads"), "");
    expect(oldDownloads(root, Date.now())).toEqual([]);
  });
});
