// Brings the search index up to date after a search, when the answer is printed: a few packs at once, many in a
// background process, so that no one waits for it.
import type { Store } from "../store/store.js";
import type { Call, Command } from "./command.js";
import { openStore } from "./open-store.js";
import { startInBackground } from "./reexec.js";

/** Indexing this many packs takes less time than starting another process. */
const few = 20;

export async function indexAfterSearch(call: Call, store: Store): Promise<void> {
  if (store.foreign) return;
  const { buildIndex, unindexedPacks } = await import("../ops/grep.js");
  const count = unindexedPacks(store);
  if (count === 0) return;
  if (count <= few) buildIndex(store);
  else startInBackground(call, [indexer.name]);
}

/** Builds the index of the store that the working folder belongs to. */
export const indexer: Command = {
  name: "__index",
  summary: "bring the search index up to date",
  hidden: true,
  arguments: [],
  options: [],
  examples: [],
  exits: [{ status: 0, when: "it is, or another process is at it" }],
  async run(call) {
    const { buildIndex } = await import("../ops/grep.js");
    buildIndex(openStore(call));
    return 0;
  },
};
