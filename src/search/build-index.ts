// Adds packs to the text index. Only whole packs are added, and only those whose contents can all be read: whatever the
// index does not know is searched all the same, and a damaged content is then reported.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { listPacks, readPack } from "../store/packs.js";
import { objectSize } from "../store/objects.js";
import { withLock } from "../store/state-lock.js";
import type { Store } from "../store/store.js";
import { BrokenIndex } from "./checked-file.js";
import {
  isSamePlace,
  openIndexFiles,
  placeOfStore,
  removeIndexFile,
  writeIndexFile,
} from "./index-folder.js";
import { textsOf } from "./run-texts.js";
import { SearchThreads } from "./search-threads.js";
import { encodeShard, type IndexPlace, maxGroups, Shard } from "./shard.js";
import { ShardBuilder } from "./shard-builder.js";
import { textFiles } from "./text-index.js";

/** How many groups are filled at once, by all threads. */
const groupsAtOnce = 64;

export interface IndexOptions {
  /** How long to wait for another process that is building the index, in milliseconds; by default not at all. */
  timeout?: number;
  progress?: (done: number, total: number) => void;
}

/**
 * Indexes all packs that the index does not know, and forgets those that are gone. Returns how many packs were added;
 * undefined if another process is at it.
 */
export function buildIndex(store: Store, { timeout = 0, progress }: IndexOptions = {}): number | undefined {
  const place = placeOfStore(store);
  if (store.foreign || place === undefined) return 0;
  try {
    return withLock(
      store.root,
      "work-search-index",
      (lock) =>
        new IndexBuilder(store, place).build((done, total) => (lock?.refresh(), progress?.(done, total))),
      { timeout },
    );
  } catch (error) {
    if (error instanceof CtxError && error.code === "store-busy") return undefined;
    throw error;
  }
}

class IndexBuilder {
  readonly #store: Store;
  readonly #place: IndexPlace;
  readonly #threads: SearchThreads;
  #shard = new ShardBuilder();
  /** The file that the open shard replaces. */
  #replaced: string | undefined;
  /** Finishes the groups that other threads have begun. */
  #begun: (() => void) | undefined;
  /** How many packs were added. */
  #count = 0;

  constructor(store: Store, place: IndexPlace) {
    this.#store = store;
    this.#place = place;
    this.#threads = new SearchThreads(store.root);
  }

  build(progress: (done: number, total: number) => void): number {
    const packs = listPacks(this.#store.root);
    const known = this.#openShards(new Set(packs));
    const added = packs.filter((hex) => !known.has(hex));
    try {
      for (const [done, hex] of added.entries()) {
        this.#plan(hex);
        if (this.#shard.pending >= groupsAtOnce) this.#begin();
        if (this.#shard.groupCount >= maxGroups) this.#write();
        progress(done + 1, added.length);
      }
      this.#write();
    } finally {
      this.#threads.close();
    }
    return this.#count;
  }

  /** Returns the packs that are indexed. Shards with packs that are gone are removed; the last small one is continued. */
  #openShards(packs: ReadonlySet<string>): Set<string> {
    const known = new Set<string>();
    for (const file of openIndexFiles(this.#store, textFiles)) {
      try {
        const shard = new Shard(file);
        const held = shard.packs().map(({ hex }) => hex);
        if (!isSamePlace(shard.place, this.#place) || held.some((hex) => !packs.has(hex) || known.has(hex)))
          throw new BrokenIndex();
        if (shard.groupCount < maxGroups && this.#replaced === undefined) {
          this.#shard = new ShardBuilder(shard.content());
          this.#replaced = file.path;
        }
        for (const hex of held) known.add(hex);
      } catch (error) {
        if (!(error instanceof BrokenIndex)) throw error;
        removeIndexFile(file.path);
      } finally {
        file.close();
      }
    }
    return known;
  }

  /** Plans where the texts of a pack go, if it can be read. */
  #plan(hex: string): void {
    let manifest;
    try {
      ({ manifest } = readPack(this.#store.root, hex));
    } catch (error) {
      if (error instanceof CtxError) return;
      throw error;
    }
    const parameters: string[] = [];
    const contents = new Set<string>();
    for (const text of textsOf(manifest, () => true))
      if ("text" in text) parameters.push(text.text);
      else contents.add(hexOf(text.content));
    const sizes = new Map<string, number>();
    for (const content of contents) {
      // A content that a group has already need not be looked for.
      const size = this.#shard.has(content) ? 0 : objectSize(this.#store.root, content);
      if (size === undefined) return;
      sizes.set(content, size);
    }
    this.#shard.add(hex, sizes, parameters.join("\n"));
  }

  /** Begins to read the groups that are planned; meanwhile this thread plans the next ones. */
  #begin(): void {
    const groups = this.#shard.takePending();
    const finish = this.#threads.begin({ kind: "index", groups: groups.map(({ texts }) => texts) });
    this.#finish();
    this.#begun = () => this.#shard.merge(groups, this.#threads.groupsOf(finish()));
  }

  #finish(): void {
    this.#begun?.();
    this.#begun = undefined;
  }

  #write(): void {
    this.#begin();
    this.#finish();
    const content = this.#shard.content();
    if (content !== undefined) {
      const isWritten = writeIndexFile(this.#store, textFiles, encodeShard(content, this.#place));
      if (isWritten && this.#replaced !== undefined) removeIndexFile(this.#replaced);
      if (isWritten) this.#count += this.#shard.added;
    }
    this.#replaced = undefined;
    this.#shard = new ShardBuilder();
  }
}
