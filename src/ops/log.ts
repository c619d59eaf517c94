// `ctx log`: lists the packs of a store, newest first.
import { toReference } from "../base/digest.js";
import type { LogEntry, LogResult } from "../model/results.js";
import { type HistoryEntry, readHistory } from "../store/history.js";
import { tagsByPack } from "../store/refs.js";
import type { Store } from "../store/store.js";

export interface LogOptions {
  /** How many entries at the most. */
  limit?: number;
}

export function log(store: Store, options: LogOptions = {}): LogResult {
  const history = readHistory(store.root);
  const tags = tagsByPack(store.root);
  return {
    entries: history.slice(0, options.limit ?? history.length).map((entry) => describe(entry, tags)),
    total: history.length,
    damaged: history.flatMap(({ hex, content }) =>
      "damage" in content ? [{ hash: toReference(hex), message: content.damage }] : [],
    ),
  };
}

function describe({ hex, content }: HistoryEntry, tags: ReadonlyMap<string, string[]>): LogEntry {
  const hash = toReference(hex);
  const own = tags.get(hex) ?? [];
  if ("damage" in content) return { hash, created: null, model: null, steps: null, tags: own, damaged: true };
  const { created, model, steps, parent } = content;
  const line: LogEntry = { hash, created, model, steps, tags: own, damaged: false };
  return parent === undefined ? line : { ...line, parent: toReference(parent) };
}
