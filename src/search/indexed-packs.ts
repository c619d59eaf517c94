// Which packs the files of the index know: some that are new to it, some that are gone.
import { hasPack, listPacks } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { BrokenIndex, type CheckedFile } from "./checked-file.js";
import { FactShard } from "./fact-shard.js";
import { factFiles } from "./facts.js";
import { openIndexFiles, removeIndexFile } from "./index-folder.js";
import { Shard } from "./shard.js";
import { textFiles } from "./text-index.js";

/** Returns how many packs the text index does not know. */
export function unindexedPacks(store: Store): number {
  const packs = listPacks(store.root);
  let count = 0;
  eachFile(store, textFiles, (file) => {
    count += new Shard(file).packCount;
    return true;
  });
  // A pack that is new while another is gone is indexed with the next one: until then, it is read whole.
  if (count === packs.length) return 0;
  const known = new Set<string>();
  eachFile(store, textFiles, (file) => {
    for (const { hex } of new Shard(file).packs()) known.add(hex);
    return true;
  });
  return packs.filter((hex) => !known.has(hex)).length;
}

/** Removes the files of the index that know of a pack which is gone: they have n-grams of its texts, and its commands. */
export function forgetGonePacks(store: Store): void {
  const { root } = store;
  const isHere = ({ hex }: { hex: string }): boolean => hasPack(root, hex);
  eachFile(store, textFiles, (file) => new Shard(file).packs().every(isHere));
  eachFile(store, factFiles, (file) => new FactShard(file).packs().every(isHere));
}

/** Removes the files of a kind that are damaged, or that `keeps` returns false for. */
function eachFile(store: Store, kind: string, keeps: (file: CheckedFile) => boolean): void {
  for (const file of openIndexFiles(store, kind)) {
    try {
      if (!keeps(file)) removeIndexFile(file.path);
    } catch (error) {
      if (!(error instanceof BrokenIndex)) throw error;
      removeIndexFile(file.path);
    } finally {
      file.close();
    }
  }
}
