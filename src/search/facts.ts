// The facts of the runs of a store, so that questions about all of them read no manifest. Like the text index they can
// only save work: a pack that they do not know is read, and added when the question is answered.
import { CtxError } from "../base/errors.js";
import { quickManifest } from "../model/read-manifest.js";
import type { Manifest } from "../model/manifest.js";
import type { OnPackRead } from "../store/catalog.js";
import { readSigned } from "../store/objects.js";
import { hasPack, listPacks, readPack } from "../store/packs.js";
import { withLock } from "../store/state-lock.js";
import type { Store } from "../store/store.js";
import { BrokenIndex } from "./checked-file.js";
import type { CompiledFilter, FactAnswer } from "./fact-filter.js";
import { type FactSheet, factSheet, type RunTally } from "./fact-sheet.js";
import { FactShard, FactShardBuilder, fits, isHalfFull, tallyIn } from "./fact-shard.js";
import {
  isSamePlace,
  openIndexFiles,
  placeOfStore,
  removeIndexFile,
  writeIndexFile,
} from "./index-folder.js";
import type { IndexPlace } from "./shard.js";

export const factFiles = "facts";
/** Calls `use` with the facts of a store; adds what they did not know afterwards. */
export function withFacts<T>(store: Store, use: (facts: Facts) => T, onRead?: OnPackRead): T {
  const facts = new Facts(store, onRead);
  try {
    return use(facts);
  } finally {
    facts.save();
  }
}

export class Facts {
  readonly #store: Store;
  readonly #onRead: OnPackRead | undefined;
  /** Packs that were read, and are to be added. */
  #pending = new FactShardBuilder();
  #read = 0;
  /** How many packs are to be read at most; known when the first one is. */
  #unread: number | undefined;
  #known: ReadonlyMap<string, unknown> = new Map();

  constructor(store: Store, onRead?: OnPackRead) {
    this.#store = store;
    this.#onRead = onRead;
  }

  /** Returns a predicate for packs. It selects a pack that cannot be read, because what the run did is unknown. */
  selecting(filter: CompiledFilter): (hex: string) => boolean {
    const known = new Map<string, FactAnswer>();
    eachShard(this.#store, (shard) => {
      for (const [hex, answer] of filter.answers(shard)) known.set(hex, answer);
    });
    this.#known = known;
    return (hex) => {
      const answer = known.get(hex) ?? "unsure";
      if (answer !== "unsure") return answer === "yes";
      const sheet = this.#sheetOf(hex, !known.has(hex));
      const isSelected = sheet === undefined ? hasPack(this.#store.root, hex) : filter.fits(sheet);
      known.set(hex, isSelected ? "yes" : "no");
      return isSelected;
    };
  }

  /** Returns a function that returns the tally of a pack; undefined if the pack cannot be read. */
  tallies(): (hex: string) => RunTally | undefined {
    const known = new Map<string, { tallies: Buffer; from: number; to: number }>();
    eachShard(this.#store, (shard) => {
      const [packs, tallies] = [shard.packs(), shard.tallies()];
      for (const { hex, tally } of packs) known.set(hex, { tallies, ...tally });
    });
    this.#known = known;
    return (hex) => {
      const kept = known.get(hex);
      return kept === undefined ? this.#sheetOf(hex, true)?.tally : tallyIn(kept.tallies, kept);
    };
  }

  /** Adds the packs that were read, unless another process is adding some. */
  save(): void {
    const pending = this.#pending;
    this.#pending = new FactShardBuilder();
    const place = placeOfStore(this.#store);
    if (pending.size.packs === 0 || this.#store.foreign || place === undefined) return;
    try {
      withLock(this.#store.root, "work-search-facts", () => writeShard(this.#store, place, pending), {
        timeout: 0,
      });
    } catch (error) {
      if (!(error instanceof CtxError && error.code === "store-busy")) throw error;
    }
  }

  #sheetOf(hex: string, isNew: boolean): FactSheet | undefined {
    const manifest = manifestOf(this.#store.root, hex);
    if (manifest === undefined) return undefined;
    const sheet = factSheet(manifest);
    if (!isNew || this.#pending.has(hex)) return sheet;
    this.#pending.add(hex, sheet);
    this.#unread ??= listPacks(this.#store.root).filter((each) => !this.#known.has(each)).length;
    this.#read++;
    this.#onRead?.(this.#read, Math.max(this.#read, this.#unread));
    if (isHalfFull(this.#pending.size)) this.save();
    return sheet;
  }
}

function manifestOf(root: string, hex: string): Manifest | undefined {
  try {
    return quickManifest(readSigned(root, hex).bytes) ?? readPack(root, hex).manifest;
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Calls `use` with each shard that was made in this store; removes those that are damaged. */
function eachShard(store: Store, use: (shard: FactShard) => void): void {
  const place = placeOfStore(store);
  for (const file of openIndexFiles(store, factFiles)) {
    try {
      const shard = new FactShard(file);
      if (!isSamePlace(shard.place, place)) throw new BrokenIndex();
      use(shard);
    } catch (error) {
      if (!(error instanceof BrokenIndex)) throw error;
      removeIndexFile(file.path);
    } finally {
      file.close();
    }
  }
}

/**
 * Writes the facts of some packs. Shards that are not much larger are continued, so that there are never many; packs
 * that are gone are left out.
 */
function writeShard(store: Store, place: IndexPlace, added: FactShardBuilder): void {
  const sizes: { path: string; packs: number; bytes: number }[] = [];
  eachShard(store, (shard) => sizes.push({ path: shard.file.path, ...shard.size }));
  const continued = new Set<string>();
  let { packs, bytes } = added.size;
  for (const size of sizes.toSorted((a, b) => a.packs - b.packs)) {
    if (size.packs > 2 * packs || !fits({ packs: packs + size.packs, bytes: bytes + size.bytes })) break;
    continued.add(size.path);
    packs += size.packs;
    bytes += size.bytes;
  }
  const present = new Set(continued.size === 0 ? [] : listPacks(store.root));
  eachShard(store, (shard) => {
    if (continued.has(shard.file.path)) added.addAll(shard, (hex) => present.has(hex) && !added.has(hex));
  });
  if (writeIndexFile(store, factFiles, added.encode(place)))
    for (const path of continued) removeIndexFile(path);
}
