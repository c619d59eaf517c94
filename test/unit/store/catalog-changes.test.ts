// The changes beside the catalog: after any change of packs/, the catalog answers as one that is made
// anew from all packs, and the large file is written again only when it must be.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Random } from "../../../dev/drift/random.js";
import { tempFolder, tempStore } from "../../../dev/folders.js";
import { json, runLog, smallLog } from "../../../dev/logs.js";
import { log } from "../../../src/ops/log.js";
import { pack } from "../../../src/ops/pack.js";
import { withCatalog } from "../../../src/store/catalog.js";
import { Store } from "../../../src/store/store.js";

/** Returns what there is to know from a catalog. */
function answers(store: Store, contents: readonly string[]): object {
  const { entries, total, damaged } = log(store);
  return withCatalog(store, (catalog) => ({
    entries,
    total,
    damaged: damaged.map(({ hash }) => hash).sort(),
    count: catalog.count,
    hashes: catalog.byPrefix(""),
    some: ["0", "7", "ab"].map((prefix) => catalog.byPrefix(prefix)),
    children: entries.map(({ hash }) => catalog.byParent(hash.slice(7))),
    holders: contents.map((hex) =>
      catalog
        .byContent(hex)
        .map(({ pack: by, role }) => `${by} ${role}`)
        .sort(),
    ),
  }));
}

const cacheOf = (store: Store): string => join(store.root, "cache");
const entryOf = (store: Store, hex: string): string => join(store.root, "packs", hex);
const objectOf = (store: Store, hex: string): string =>
  join(store.root, "objects", hex.slice(0, 2), hex.slice(2));

/** Returns the same from a catalog that is made anew; the present one stays. */
function answersAnew(store: Store, contents: readonly string[]): object {
  const aside = join(tempFolder(), "cache");
  fs.renameSync(cacheOf(store), aside);
  const found = answers(store, contents);
  fs.rmSync(cacheOf(store), { recursive: true });
  fs.renameSync(aside, cacheOf(store));
  return found;
}

/** Returns which file the catalog is: another one after each time that it is written. */
function fileOf(store: Store, name = "catalog"): bigint | undefined {
  return fs.statSync(join(cacheOf(store), name), { throwIfNoEntry: false, bigint: true })?.ctimeNs;
}

interface Universe {
  /** Has all objects; a test brings and takes away the packs. */
  store: Store;
  packs: string[];
  entries: Map<string, Buffer>;
  contents: string[];
}

let made: Universe | undefined;

/** Returns a copy of a store that is made once. */
function universe(): Universe {
  made ??= makeUniverse();
  const root = join(tempFolder(), ".ctx");
  fs.cpSync(made.store.root, root, { recursive: true, preserveTimestamps: true });
  return { ...made, store: Store.open(root) };
}

function makeUniverse(): Universe {
  const store = tempStore();
  // Otherwise a pack could be the first whose object is in a folder, and the catalog would be made anew.
  for (let at = 0; at < 256; at++)
    fs.mkdirSync(join(store.root, "objects", at.toString(16).padStart(2, "0")), { recursive: true });
  const packs: string[] = [];
  const add = (fields: Record<string, unknown>): void => {
    packs.push(pack(store, { bytes: json(fields), folder: "/" }, { sidecars: false }).hash.slice(7));
  };
  for (let at = 0; at < 96; at++) {
    // Several have the same time: then the order is that of their arrival.
    const created = `2026-03-${String(1 + (at % 17)).padStart(2, "0")}T00:00:00Z`;
    const source = { format: "claude-code", session: `session-${at % 5}` };
    const parent = `sha256:${packs[at >> 1] ?? ""}`;
    if (at % 4 === 0) add(runLog({ created, parent: at > 8 ? parent : undefined, metadata: { at } }));
    else if (at % 4 === 1) add(smallLog({ created, metadata: { source, at } }));
    else if (at % 4 === 2) add(runLog({ created, metadata: { source, at } }));
    else add(runLog({ created, parent, system_prompt: `edited ${at}` }));
  }
  const entries = new Map(packs.map((hex) => [hex, fs.readFileSync(entryOf(store, hex))]));
  const contents = log(store).entries.flatMap(({ hash }) => {
    const { outputs, inputs } = JSON.parse((entries.get(hash.slice(7)) as Buffer).toString()) as Record<
      "outputs" | "inputs",
      { content_ref: string }[]
    >;
    return [...outputs, ...inputs].map(({ content_ref }) => content_ref.slice(7));
  });
  return { store, packs, entries, contents: [...new Set(contents)] };
}

/** Makes the changes that are written next old enough to be believed without a listing. */
function settle(store: Store): void {
  const old = Date.now() / 1000 - 60;
  fs.utimesSync(join(store.root, "packs"), old, old);
  log(store);
  // The change time cannot be set, so the files go forward instead.
  for (const name of fs.readdirSync(cacheOf(store))) {
    const later = Date.now() / 1000 + 60;
    fs.utimesSync(join(cacheOf(store), name), later, later);
  }
}

/** Returns a store whose catalog has most packs, and whose changes have the rest. */
function withChanges(): { store: Store; packs: string[]; contents: string[]; expected: object } {
  const { store, packs, entries, contents } = universe();
  const late = [packs.at(-1), packs.at(-2), packs.at(-3)] as string[];
  for (const hex of late) fs.rmSync(entryOf(store, hex));
  log(store);
  for (const hex of late) fs.writeFileSync(entryOf(store, hex), entries.get(hex) as Buffer);
  settle(store);
  return { store, packs, contents, expected: answersAnew(store, contents) };
}

const changesOf = (store: Store): string => join(cacheOf(store), "catalog-changes");

function forward(path: string): void {
  const later = Date.now() / 1000 + 60;
  fs.utimesSync(path, later, later);
}

describe("changes of the catalog", () => {
  it.each([1, 2])(
    "changes of the catalog: whatever happens to packs/, the answers are right (seed %i)",
    (seed) => {
      const { store, packs, entries, contents } = universe();
      const random = new Random(seed);
      const damaged = new Set<string>();
      const isThere = (hex: string): boolean =>
        fs.lstatSync(entryOf(store, hex), { throwIfNoEntry: false }) !== undefined;
      const isFolder = (hex: string): boolean =>
        fs.lstatSync(entryOf(store, hex), { throwIfNoEntry: false })?.isDirectory() === true;
      const isBad = (hex: string): boolean => isFolder(hex) || (damaged.has(hex) && isThere(hex));
      const leave = (hex: string): void => fs.rmSync(entryOf(store, hex), { recursive: true, force: true });
      const arrive = (hex: string): void => fs.writeFileSync(entryOf(store, hex), entries.get(hex) as Buffer);
      const setObject = (hex: string, isSound: boolean): void => {
        const path = objectOf(store, hex);
        const bytes = fs.readFileSync(path);
        // The first character of a manifest.
        bytes[0] = isSound ? 0x7b : 0x5b;
        fs.chmodSync(path, 0o644);
        fs.writeFileSync(path, bytes);
        if (isSound) damaged.delete(hex);
        else damaged.add(hex);
      };
      for (const hex of packs) if (random.chance(0.5)) leave(hex);
      log(store);
      let [kept, believed] = [0, 0];
      for (let round = 0; round < 50; round++) {
        const before = fileOf(store);
        const touched = new Set(Array.from({ length: random.between(1, 3) }, () => random.pick(packs)));
        // Most of the time all is well again soon.
        for (const hex of packs) if (isBad(hex) && random.chance(0.7)) touched.add(hex);
        for (const hex of touched) {
          if (!isThere(hex)) {
            // Only packs that the catalog does not know are damaged: damage to others shows when they are
            // read.
            if (random.chance(0.1) && !damaged.has(hex)) setObject(hex, false);
            if (random.chance(0.1)) fs.mkdirSync(entryOf(store, hex));
            else arrive(hex);
          } else if (isFolder(hex)) {
            leave(hex);
            if (random.chance(0.7)) arrive(hex);
          } else if (damaged.has(hex)) setObject(hex, true);
          else if (random.chance(0.1)) {
            leave(hex);
            if (random.chance(0.5)) fs.mkdirSync(entryOf(store, hex));
          }
        }
        const expected = answersAnew(store, contents);
        expect(answers(store, contents)).toEqual(expected);
        if (fileOf(store) === before) kept++;
        if (random.chance(0.5)) continue;
        // The same when packs/ is not listed any more.
        settle(store);
        const written = fileOf(store, "catalog-changes");
        expect(answers(store, contents)).toEqual(expected);
        // Packs that cannot be read are read again each time.
        if (log(store).damaged.length > 0) continue;
        expect(fileOf(store, "catalog-changes")).toBe(written);
        believed++;
      }
      expect(kept).toBeGreaterThan(10);
      expect(believed).toBeGreaterThan(3);
    },
  );

  it("changes of the catalog: no damaged byte of them is believed", () => {
    const { store, contents, expected } = withChanges();
    const good = fs.readFileSync(changesOf(store));
    const catalog = fs.readFileSync(join(cacheOf(store), "catalog"));
    const bad = [Buffer.alloc(0), Buffer.alloc(good.length), good.subarray(0, 100)];
    for (let at = 0; at < good.length; at += 23) {
      const flipped = Buffer.from(good);
      flipped[at] = (flipped[at] as number) ^ 4;
      bad.push(flipped);
    }
    for (const bytes of bad) {
      fs.writeFileSync(changesOf(store), bytes);
      forward(changesOf(store));
      expect(answers(store, contents)).toEqual(expected);
      fs.writeFileSync(join(cacheOf(store), "catalog"), catalog);
    }
    for (const make of [fs.mkdirSync, (path: string) => fs.symlinkSync("/dev/zero", path)]) {
      fs.rmSync(changesOf(store), { recursive: true, force: true });
      make(changesOf(store));
      expect(answers(store, contents)).toEqual(expected);
      fs.rmSync(changesOf(store), { recursive: true, force: true });
      fs.writeFileSync(changesOf(store), good);
    }
  });

  it("changes of the catalog: those of another catalog are not believed", () => {
    const { store, packs, contents, expected } = withChanges();
    const changes = fs.readFileSync(changesOf(store));
    // The same packs, so the changes would list some twice.
    fs.rmSync(join(cacheOf(store), "catalog"));
    log(store);
    expect(fs.existsSync(changesOf(store))).toBe(false);
    fs.writeFileSync(changesOf(store), changes);
    for (const name of ["catalog", "catalog-changes"]) forward(join(cacheOf(store), name));
    expect(answers(store, contents)).toEqual(expected);
    expect(withCatalog(store, ({ count }) => count)).toBe(packs.length);
    // Nor are they a catalog themselves.
    fs.copyFileSync(changesOf(store), join(cacheOf(store), "catalog"));
    forward(join(cacheOf(store), "catalog"));
    expect(answers(store, contents)).toEqual(expected);
  });

  it("changes of the catalog: the catalog of a copied store is not added to, but made anew", () => {
    const { store, packs, contents, expected } = withChanges();
    const copied = tempFolder();
    fs.cpSync(store.root, join(copied, ".ctx"), { recursive: true, preserveTimestamps: true });
    const copy = Store.open(join(copied, ".ctx"));
    const isRead = (each: Store): boolean[] =>
      withCatalog(each, (catalog) => packs.map((hex) => catalog.isFresh(hex)));
    expect(isRead(store)).not.toContain(true);
    expect(isRead(copy)).not.toContain(false);
    expect(answers(copy, contents)).toEqual(expected);
  });

  it("changes of the catalog: many become a part of it, and a pack that is gone is named nowhere", () => {
    const { store, packs, entries } = universe();
    const path = join(cacheOf(store), "catalog");
    const late = packs.slice(-20);
    for (const hex of late) fs.rmSync(entryOf(store, hex));
    log(store);
    const first = fileOf(store);
    const isNamed = (hex: string): boolean =>
      [path, changesOf(store)].some(
        (file) => fs.existsSync(file) && fs.readFileSync(file).includes(`"hex":"${hex}"`),
      );
    for (const [at, hex] of late.entries()) {
      fs.writeFileSync(entryOf(store, hex), entries.get(hex) as Buffer);
      expect(withCatalog(store, (catalog) => catalog.isFresh(hex))).toBe(true);
      // An eighth of 76.
      expect(fileOf(store) === first).toBe(at < 9);
      expect(isNamed(hex)).toBe(true);
    }
    const [known, another] = packs as [string, string];
    for (const hex of [late.at(-1) as string, known, another]) {
      fs.rmSync(entryOf(store, hex));
      log(store);
      expect(isNamed(hex)).toBe(false);
    }
  });
});
