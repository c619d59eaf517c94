import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { log } from "../../../src/ops/log.js";
import { pack } from "../../../src/ops/pack.js";
import { childrenOf } from "../../../src/store/lineage.js";
import { withCatalog } from "../../../src/store/catalog.js";
import { encodeCatalog } from "../../../src/store/catalog-file.js";
import { ownId } from "../../../src/base/owner-id.js";
import { resolvePack } from "../../../src/store/resolve.js";
import { Store } from "../../../src/store/store.js";
import { tempFolder, tempStore } from "../../../dev/folders.js";
import { json, runLog, smallLog } from "../../../dev/logs.js";

function add(store: Store, fields: Record<string, unknown>): string {
  return pack(store, { bytes: json(smallLog(fields)), folder: "/" }).hash.slice(7);
}

function hashes(store: Store): string[] {
  return log(store).entries.map(({ hash }) => hash.slice(7));
}

/** Makes the folder's times old enough for the catalog to be believed. */
function settle(store: Store): void {
  const packs = join(store.root, "packs");
  const old = Date.now() / 1000 - 60;
  fs.utimesSync(packs, old, old);
  // The change time cannot be set, so the catalog's own time goes forward instead.
  log(store);
  const later = Date.now() / 1000 + 60;
  fs.utimesSync(join(store.root, "cache/catalog"), later, later);
}

/** Returns whether a catalog is believed: this one falsely says that there is no pack. */
function isBelieved(store: Store, age: number): boolean {
  const stat = fs.statSync(join(store.root, "packs"), { bigint: true });
  const path = join(store.root, "cache/catalog");
  fs.writeFileSync(path, encodeCatalog([], stat));
  const changed = Number(stat.ctimeNs > stat.mtimeNs ? stat.ctimeNs : stat.mtimeNs) / 1e9;
  fs.utimesSync(path, changed + age, changed + age);
  return withCatalog(store, (catalog) => catalog.count) === 0;
}

describe("the catalog", () => {
  it("the catalog: cache/ does not keep unfinished catalogs of killed processes, of this version or an earlier one", () => {
    const store = tempStore();
    add(store, {});
    const [place, , ...rest] = ownId().split(".");
    const dead = [`.ctx-${[place, 4194305, ...rest].join(".")}.tmp`, "catalog-123-1700000000000"];
    const others = [`.ctx-${ownId()}.tmp`, `catalog-123-${Date.now()}`, "catalog-notes"];
    const cache = join(store.root, "cache");
    fs.mkdirSync(cache, { recursive: true });
    for (const name of [...dead, ...others]) fs.writeFileSync(join(cache, name), "");
    log(store);
    expect(new Set(fs.readdirSync(cache))).toEqual(new Set([...others, "catalog"]));
  });

  it("the catalog: progress is reported while every pack is read, and not once there is a catalog", () => {
    const store = tempStore();
    for (const system_prompt of ["a", "b", "c"]) add(store, { system_prompt });
    const reported: [number, number][] = [];
    const progress = (done: number, total: number): void => void reported.push([done, total]);
    log(store, { progress });
    expect(reported).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    log(store, { progress });
    expect(reported).toHaveLength(3);
  });

  it("the catalog answers like the store, whether fresh, kept or missing", () => {
    const store = tempStore();
    const a = add(store, { created: "2026-01-01T00:00:00Z" });
    const b = add(store, { created: "2026-01-02T00:00:00Z", model: { identifier: "ünïcode\u001b" } });
    expect(hashes(store)).toEqual([b, a]);
    settle(store);
    expect(hashes(store)).toEqual([b, a]);
    expect(log(store).entries[0]?.model).toBe("ünïcode\u001b");
    fs.rmSync(join(store.root, "cache"), { recursive: true });
    expect(hashes(store)).toEqual([b, a]);
    expect(resolvePack(store, a.slice(0, 6))).toBe(a);
  });

  it("the catalog notices packs that arrive and leave, also in the same tick", () => {
    const store = tempStore();
    const other = tempStore();
    const first = add(store, {});
    hashes(store);
    for (let round = 0; round < 20; round++) {
      const hex = add(other, { created: `2026-03-01T00:00:${String(round).padStart(2, "0")}Z` });
      // As `cp -r` or `git pull` would bring it: the object first, then the entry, right after the catalog
      // was written.
      for (const path of [`objects/${hex.slice(0, 2)}/${hex.slice(2)}`, `packs/${hex}`]) {
        fs.mkdirSync(join(store.root, path, ".."), { recursive: true });
        fs.copyFileSync(join(other.root, path), join(store.root, path));
      }
      expect(hashes(store)[0]).toBe(hex);
      expect(resolvePack(store, hex.slice(0, 8))).toBe(hex);
      fs.rmSync(join(store.root, "packs", hex));
      expect(hashes(store)).toEqual([first]);
      expect(() => resolvePack(store, hex)).toThrow(/is a blob/);
    }
  });

  it("the catalog knows which version of its session a pack is", () => {
    const store = tempStore();
    const of = (session: string, day: number): string =>
      add(store, { created: `2026-01-0${day}T00:00:00Z`, metadata: { source: { session } } });
    const versions = (): string[] =>
      log(store).entries.map(({ session, version, versions: all }) => `${session} ${version}/${all}`);
    const oldest = of("a", 1);
    of("b", 2);
    of("a", 3);
    for (let round = 0; round < 2; round++) {
      expect(versions()).toEqual(["a 2/2", "b 1/1", "a 1/2"]);
      settle(store);
    }
    of("b", 4);
    fs.rmSync(join(store.root, "packs", oldest));
    expect(versions()).toEqual(["b 2/2", "a 1/1", "b 1/2"]);
  });

  it("the catalog is not trusted if the folder changed less than two seconds before it was written", () => {
    const store = tempStore();
    add(store, {});
    hashes(store);
    expect(isBelieved(store, -10)).toBe(false);
    expect(isBelieved(store, 1.9)).toBe(false);
    expect(isBelieved(store, 2.1)).toBe(true);
    fs.utimesSync(join(store.root, "packs"), 1, 1);
    expect(hashes(store)).toHaveLength(1);
  });

  it("the catalog notices a manifest that was damaged or repaired later", () => {
    const store = tempStore();
    const hex = add(store, {});
    settle(store);
    const path = join(store.root, "objects", hex.slice(0, 2), hex.slice(2));
    const good = fs.readFileSync(path);
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, Buffer.from(good).fill("x", 10, 11));
    expect(log(store).entries[0]?.damaged).toBe(true);
    fs.writeFileSync(path, good);
    expect(log(store).entries[0]?.damaged).toBe(false);
    fs.rmSync(path);
    expect(log(store).damaged).toHaveLength(1);
  });

  it("the catalog accepts only a regular file as a pack, also where it knew the pack before", () => {
    const store = tempStore();
    const hex = add(store, {});
    settle(store);
    const entry = join(store.root, "packs", hex);
    fs.rmSync(entry);
    fs.mkdirSync(entry);
    expect(log(store).entries[0]?.damaged).toBe(true);
    fs.rmdirSync(entry);
    fs.symlinkSync("/dev/null", entry);
    fs.rmSync(join(store.root, "cache"), { recursive: true });
    expect(log(store).damaged).toHaveLength(1);
  });

  it("the catalog is rebuilt when it is damaged, cut, empty, a link or of another kind", () => {
    const store = tempStore();
    const a = add(store, {});
    const b = add(store, { created: "2026-05-01T00:00:00Z", parent: `sha256:${a}`, metadata: { child: 1 } });
    settle(store);
    const path = join(store.root, "cache/catalog");
    const good = fs.readFileSync(path);
    const bad: Buffer[] = [
      Buffer.alloc(0),
      Buffer.alloc(good.length),
      good.subarray(0, 100),
      Buffer.concat([good, Buffer.alloc(1)]),
    ];
    for (let at = 0; at < good.length; at += 3) {
      const flipped = Buffer.from(good);
      flipped[at] = (flipped[at] as number) ^ 4;
      bad.push(flipped);
    }
    for (const bytes of bad) {
      fs.writeFileSync(path, bytes);
      fs.utimesSync(path, Date.now() / 1000 + 60, Date.now() / 1000 + 60);
      expect(hashes(store)).toEqual([b, a]);
      expect(resolvePack(store, a.slice(0, 8))).toBe(a);
      fs.writeFileSync(path, bytes);
      fs.utimesSync(path, Date.now() / 1000 + 60, Date.now() / 1000 + 60);
      expect(childrenOf(store, new Set([a]))).toEqual([b]);
    }
    fs.rmSync(path);
    fs.symlinkSync("/dev/zero", path);
    expect(hashes(store)).toEqual([b, a]);
    fs.rmSync(path);
    fs.mkdirSync(path);
    expect(hashes(store)).toEqual([b, a]);
  });

  it("the catalog finds packs by content, and by prefix among many", () => {
    const store = tempStore();
    const hex = pack(store, { bytes: json(runLog()), folder: "/" }, { sidecars: false }).hash.slice(7);
    const many = Array.from({ length: 300 }, (_, index) => add(store, { metadata: { index } }));
    withCatalog(store, (catalog) => {
      expect(catalog.count).toBe(301);
      expect(catalog.byContent("53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3")).toEqual([
        { pack: hex, role: "output" },
      ]);
      expect(catalog.byContent("c3f9c8c283a2d1dc84b9dfdd1d7a9e3bb7b8f8fae9cfac84bcbf7e9b4bf9aeca")).toEqual(
        [],
      );
      for (const each of many) expect(catalog.byPrefix(each.slice(0, 12))).toEqual([each]);
      expect(catalog.byPrefix("f".repeat(64))).toEqual([]);
    });
  });

  it("the catalog finds the forks of a pack, newest first", () => {
    const store = tempStore();
    const parent = add(store, {});
    const other = add(store, { metadata: { other: true } });
    const made = Array.from({ length: 300 }, (_, index) =>
      add(store, {
        created: new Date(Date.UTC(2026, 6, 1) + index * 1000).toISOString(),
        parent: `sha256:${index % 3 === 0 ? other : parent}`,
        metadata: { index },
      }),
    );
    const expected = made.filter((_, index) => index % 3 !== 0).reverse();
    withCatalog(store, (catalog) => expect(catalog.byParent(parent)).toEqual(expected));
    expect(childrenOf(store, new Set([parent]))).toEqual(expected);
    settle(store);
    expect(childrenOf(store, new Set([parent]))).toEqual(expected);
    expect(childrenOf(store, new Set([made[1] as string]))).toEqual([]);
    expect(childrenOf(store, new Set([parent, ...expected.slice(1)]))).toEqual(expected.slice(0, 1));
  });

  it("the catalog is not written for another user's store, nor where nothing can be written", () => {
    const store = tempStore();
    add(store, {});
    const foreign = Object.assign(Object.create(Store.prototype) as Store, {
      root: store.root,
      folder: store.folder,
      foreign: true,
    });
    expect(log(foreign).total).toBe(1);
    expect(fs.existsSync(join(store.root, "cache"))).toBe(false);
    fs.writeFileSync(join(store.root, "cache"), "in the way");
    expect(hashes(store)).toHaveLength(1);
    const elsewhere = tempFolder();
    fs.writeFileSync(join(elsewhere, "catalog"), "mine");
    fs.rmSync(join(store.root, "cache"));
    fs.symlinkSync(elsewhere, join(store.root, "cache"));
    expect(hashes(store)).toHaveLength(1);
    expect(fs.readdirSync(elsewhere)).toEqual(["catalog"]);
    expect(fs.readFileSync(join(elsewhere, "catalog"), "utf8")).toBe("mine");
  });
});
