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
import type { GroupText } from "./search-task.js";
import { SearchThreads } from "./search-threads.js";
import {
  encodeShard,
  type IndexedText,
  type IndexPlace,
  maxGroups,
  Shard,
  type ShardContent,
} from "./shard.js";
import { textFiles } from "./text-index.js";

/** How many bytes of text a group has. */
const groupBytes = 1 << 18;
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

  constructor(store: Store, place: IndexPlace) {
    this.#store = store;
    this.#place = place;
    this.#threads = new SearchThreads(store.root);
  }

  build(progress: (done: number, total: number) => void): number {
    const packs = listPacks(this.#store.root);
    const known = this.#openShards(new Set(packs));
    const added = packs.filter((hex) => !known.has(hex));
    let count = 0;
    try {
      for (const [done, hex] of added.entries()) {
        if (this.#plan(hex)) count++;
        if (this.#shard.pending >= groupsAtOnce || this.#shard.groupCount >= maxGroups) this.#fill();
        if (this.#shard.groupCount >= maxGroups) this.#write();
        progress(done + 1, added.length);
      }
      this.#fill();
      this.#write();
    } finally {
      this.#threads.close();
    }
    return count - this.#shard.refused;
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

  /** Plans where the texts of a pack go. Returns false if it cannot be read. */
  #plan(hex: string): boolean {
    let manifest;
    try {
      ({ manifest } = readPack(this.#store.root, hex));
    } catch (error) {
      if (error instanceof CtxError) return false;
      throw error;
    }
    const parameters: string[] = [];
    const contents = new Set<string>();
    for (const text of textsOf(manifest, () => true))
      if ("text" in text) parameters.push(text.text);
      else contents.add(hexOf(text.content));
    const sizes = new Map([...contents].map((content) => [content, objectSize(this.#store.root, content)]));
    if ([...sizes.values()].includes(undefined)) return false;
    this.#shard.add(hex, sizes as Map<string, number>, parameters.join("\n"));
    return true;
  }

  #fill(): void {
    const groups = this.#shard.takePending();
    if (groups.length > 0) this.#shard.merge(this.#threads.index(groups.map(({ texts }) => texts)));
  }

  #write(): void {
    const content = this.#shard.content();
    if (content === undefined) return;
    const isWritten = writeIndexFile(this.#store, textFiles, encodeShard(content, this.#place));
    if (isWritten && this.#replaced !== undefined) removeIndexFile(this.#replaced);
    this.#replaced = undefined;
    this.#shard = new ShardBuilder(undefined, this.#shard.refused);
  }
}

/** Groups that are planned but not read yet. */
interface PlannedGroup {
  texts: GroupText[];
}

/** A shard that grows. */
class ShardBuilder {
  readonly #content: ShardContent;
  readonly #numbers = new Map<string, number>();
  /** The groups that new texts were added to, by number; the last one may be an old one that was not full. */
  #planned = new Map<number, PlannedGroup>();
  #isChanged = false;
  /** How many packs were left out because a content of theirs cannot be read. */
  refused: number;

  constructor(content: ShardContent = { packs: [], texts: [], groups: [] }, refused = 0) {
    this.#content = content;
    this.refused = refused;
    content.texts.forEach((text, number) => this.#numbers.set(keyOf(text), number));
  }

  get groupCount(): number {
    return this.#content.groups.length;
  }

  get pending(): number {
    return this.#planned.size;
  }

  add(hex: string, contents: ReadonlyMap<string, number>, parameters: string): void {
    const texts: number[] = [];
    for (const [content, size] of contents)
      texts.push(this.#numberOf({ kind: "content", hex: content }, { content }, size));
    if (parameters !== "")
      texts.push(
        this.#numberOf({ kind: "parameters", hex }, { text: parameters }, Buffer.byteLength(parameters)),
      );
    this.#content.packs.push({ hex, texts });
    this.#isChanged = true;
  }

  takePending(): PlannedGroup[] {
    return [...this.#planned.values()];
  }

  /** Adds the n-grams of the pending groups, and removes the packs with contents that could not be read. */
  merge(indexed: readonly { map: Uint8Array; unreadable: string[] }[]): void {
    const unreadable = new Set<number>();
    [...this.#planned.keys()].forEach((number, at) => {
      const { map, unreadable: contents } = indexed[at] as (typeof indexed)[number];
      const group = this.#content.groups[number] as ShardContent["groups"][number];
      for (let byte = 0; byte < map.length; byte++) (group.map[byte] as number) |= map[byte] as number;
      for (const hex of contents)
        unreadable.add(this.#numbers.get(keyOf({ kind: "content", hex })) as number);
    });
    this.#planned = new Map();
    if (unreadable.size === 0) return;
    const { packs } = this.#content;
    const sound = packs.filter(({ texts }) => !texts.some((text) => unreadable.has(text)));
    this.refused += packs.length - sound.length;
    this.#content.packs = sound;
  }

  /** Returns what is to be written; undefined if nothing changed. */
  content(): ShardContent | undefined {
    return this.#isChanged && this.#content.packs.length > 0 ? this.#content : undefined;
  }

  #numberOf(text: IndexedText, source: GroupText, size: number): number {
    const known = this.#numbers.get(keyOf(text));
    if (known !== undefined) return known;
    const number = this.#content.texts.push(text) - 1;
    this.#numbers.set(keyOf(text), number);
    const { groups } = this.#content;
    const last = groups.at(-1);
    const isFull = last === undefined || last.bytes >= groupBytes;
    if (isFull) groups.push({ end: 0, bytes: 0, map: new Uint8Array(0) });
    const at = groups.length - 1;
    const group = groups[at] as ShardContent["groups"][number];
    if (group.map.length === 0) group.map = new Uint8Array(1 << 14);
    group.end = number + 1;
    group.bytes += size;
    const planned = this.#planned.get(at) ?? { texts: [] };
    planned.texts.push(source);
    this.#planned.set(at, planned);
    return number;
  }
}

function keyOf({ kind, hex }: IndexedText): string {
  return `${kind === "content" ? "" : "p"}${hex}`;
}

/** Returns how many packs the index does not know. */
export function unindexedPacks(store: Store): number {
  const known = new Set<string>();
  for (const file of openIndexFiles(store, textFiles)) {
    try {
      for (const { hex } of new Shard(file).packs()) known.add(hex);
    } catch (error) {
      if (!(error instanceof BrokenIndex)) throw error;
    } finally {
      file.close();
    }
  }
  return listPacks(store.root).filter((hex) => !known.has(hex)).length;
}
