// The text index of a store: which of its texts may hold what is searched for. It can only leave work out: a text that it
// does not know is searched, and every text that it names is searched as well.
import type { Store } from "../store/store.js";
import { BrokenIndex } from "./checked-file.js";
import type { Needs } from "./expression.js";
import { gramsOf } from "./grams.js";
import { isSamePlace, openIndexFiles, placeOfStore, removeIndexFile } from "./index-folder.js";
import { type PackTable, Shard } from "./shard.js";

export const textFiles = "text";

/** The texts of a pack that may match. */
export interface CandidateTexts {
  contents: ReadonlySet<string>;
  /** Whether the parameters of its steps may match. */
  hasParameters: boolean;
  /** How many texts the pack has. */
  count: number;
}

const noContents: ReadonlySet<string> = new Set();

interface OpenShard {
  shard: Shard;
  packs: PackTable;
  /** For each text, whether it may match; undefined if none may. Set by `select`. */
  candidates: Uint8Array | undefined;
  /** The texts of all packs; read for the first pack of a shard that has candidates. */
  uses: Uint32Array | undefined;
}

export class TextIndex {
  readonly #shards: OpenShard[] = [];
  /** For each pack its shard, and its number there. */
  readonly #packs = new Map<string, { at: OpenShard; number: number }>();

  /** Opens the index. Damaged files, and those that came with a copy of the store, are removed. */
  static open(store: Store): TextIndex {
    const index = new TextIndex();
    const place = placeOfStore(store);
    for (const file of openIndexFiles(store, textFiles)) {
      try {
        const shard = new Shard(file);
        if (!isSamePlace(shard.place, place)) throw new BrokenIndex();
        index.#add({ shard, packs: shard.packTable(), candidates: undefined, uses: undefined });
      } catch (error) {
        file.close();
        if (!(error instanceof BrokenIndex)) throw error;
        removeIndexFile(file.path);
      }
    }
    return index;
  }

  #add(open: OpenShard): void {
    this.#shards.push(open);
    const { packs } = open;
    for (let number = 0; number < packs.count; number++) {
      const hex = packs.hexOf(number);
      if (!this.#packs.has(hex)) this.#packs.set(hex, { at: open, number });
    }
  }

  close(): void {
    for (const { shard } of this.#shards) shard.file.close();
    this.#shards.length = 0;
    this.#packs.clear();
  }

  has(hex: string): boolean {
    return this.#packs.has(hex);
  }

  /** How many packs the index knows. */
  get size(): number {
    return this.#packs.size;
  }

  /** Selects the texts that may hold what is needed. Returns false if the index cannot tell any text from another. */
  select(needs: Needs): boolean {
    const alternatives = needs.map((texts) => [...new Set(texts.flatMap(gramsOf))]);
    if (alternatives.some((grams) => grams.length === 0)) return false;
    const broken = this.#shards.filter((open) => {
      try {
        open.candidates = candidatesIn(open.shard, alternatives);
        return false;
      } catch (error) {
        if (!(error instanceof BrokenIndex)) throw error;
        return true;
      }
    });
    for (const open of broken) this.#drop(open);
    return true;
  }

  /** Returns the texts of a pack that may match; undefined if the index does not know the pack. */
  candidatesOf(hex: string): CandidateTexts | undefined {
    const known = this.#packs.get(hex);
    if (known === undefined) return undefined;
    const { at, number } = known;
    // Most packs have no candidate.
    let contents: Set<string> | undefined;
    let hasParameters = false;
    try {
      const { from, to } = at.packs.usesOf(number);
      const { candidates } = at;
      if (candidates === undefined) return { contents: noContents, hasParameters: false, count: to - from };
      at.uses ??= at.shard.uses();
      for (let use = from; use < to; use++) {
        const text = at.uses[use] as number;
        if (candidates[text] === 0) continue;
        const { kind, hex: content } = at.shard.text(text);
        if (kind === "content") (contents ??= new Set()).add(content);
        else hasParameters = true;
      }
      return { contents: contents ?? noContents, hasParameters, count: to - from };
    } catch (error) {
      if (!(error instanceof BrokenIndex)) throw error;
      this.#drop(at);
      return undefined;
    }
  }

  /** Forgets a damaged shard: its packs are searched as if they had never been indexed. */
  #drop(open: OpenShard): void {
    for (const [hex, { at }] of this.#packs) if (at === open) this.#packs.delete(hex);
    this.#shards.splice(this.#shards.indexOf(open), 1);
    open.shard.file.close();
    removeIndexFile(open.shard.file.path);
  }
}

/** Returns a 1 for each text in a group that has all n-grams of an alternative; undefined if no group has. */
function candidatesIn(shard: Shard, alternatives: readonly (readonly number[])[]): Uint8Array | undefined {
  const found = alternatives.flatMap((grams) => shard.groupsWith(grams) ?? []);
  if (found.length === 0) return undefined;
  const groups = shard.groups();
  const candidates = new Uint8Array(groups.at(-1)?.end ?? 0);
  for (const bits of found)
    groups.forEach(({ end }, number) => {
      if ((((bits[number >>> 3] as number) >>> (number & 7)) & 1) === 0) return;
      candidates.fill(1, groups[number - 1]?.end ?? 0, end);
    });
  return candidates;
}
