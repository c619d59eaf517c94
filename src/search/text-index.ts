// The text index of a store: which of its texts may hold what is searched for. It can only leave work out: a text that it
// does not know is searched, and every text that it names is searched as well.
import type { Store } from "../store/store.js";
import { BrokenIndex } from "./checked-file.js";
import type { Needs } from "./expression.js";
import { gramsOf } from "./grams.js";
import { isSamePlace, openIndexFiles, placeOfStore, removeIndexFile } from "./index-folder.js";
import { Shard } from "./shard.js";

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
  uses: Uint32Array;
  /** For each text, whether it may match; set by `select`. */
  candidates: Uint8Array;
}

export class TextIndex {
  readonly #shards: OpenShard[] = [];
  readonly #packs = new Map<string, { at: OpenShard; from: number; to: number }>();

  /** Opens the index. Damaged files, and those that came with a copy of the store, are removed. */
  static open(store: Store): TextIndex {
    const index = new TextIndex();
    const place = placeOfStore(store);
    for (const file of openIndexFiles(store, textFiles)) {
      try {
        const shard = new Shard(file);
        if (!isSamePlace(shard.place, place)) throw new BrokenIndex();
        const open = { shard, uses: shard.uses(), candidates: new Uint8Array(0) };
        const packs = shard.packs();
        index.#shards.push(open);
        for (const { hex, from, to } of packs)
          if (!index.#packs.has(hex)) index.#packs.set(hex, { at: open, from, to });
      } catch (error) {
        file.close();
        if (!(error instanceof BrokenIndex)) throw error;
        removeIndexFile(file.path);
      }
    }
    return index;
  }

  close(): void {
    for (const { shard } of this.#shards) shard.file.close();
    this.#shards.length = 0;
    this.#packs.clear();
  }

  has(hex: string): boolean {
    return this.#packs.has(hex);
  }

  /** Selects the texts that may hold what is needed. Returns false if the index cannot tell any text from another. */
  select(needs: Needs): boolean {
    const alternatives = needs.map((texts) => [...new Set(texts.flatMap(gramsOf))]);
    if (alternatives.some((grams) => grams.length === 0)) {
      this.close();
      return false;
    }
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
    const { at, from, to } = known;
    // Most packs have no candidate.
    let contents: Set<string> | undefined;
    let hasParameters = false;
    try {
      for (let use = from; use < to; use++) {
        const number = at.uses[use] as number;
        if (at.candidates[number] === 0) continue;
        const text = at.shard.text(number);
        if (text.kind === "content") (contents ??= new Set()).add(text.hex);
        else hasParameters = true;
      }
    } catch (error) {
      if (!(error instanceof BrokenIndex)) throw error;
      this.#drop(at);
      return undefined;
    }
    return { contents: contents ?? noContents, hasParameters, count: to - from };
  }

  /** Forgets a damaged shard: its packs are searched as if they had never been indexed. */
  #drop(open: OpenShard): void {
    for (const [hex, { at }] of this.#packs) if (at === open) this.#packs.delete(hex);
    this.#shards.splice(this.#shards.indexOf(open), 1);
    open.shard.file.close();
    removeIndexFile(open.shard.file.path);
  }
}

/** Returns a 1 for each text in a group that has all n-grams of an alternative. */
function candidatesIn(shard: Shard, alternatives: readonly (readonly number[])[]): Uint8Array {
  const groups = shard.groups();
  const candidates = new Uint8Array(groups.at(-1)?.end ?? 0);
  for (const grams of alternatives) {
    const bits = shard.groupsWith(grams);
    groups.forEach(({ end }, number) => {
      if ((((bits[number >>> 3] as number) >>> (number & 7)) & 1) === 0) return;
      candidates.fill(1, groups[number - 1]?.end ?? 0, end);
    });
  }
  return candidates;
}
