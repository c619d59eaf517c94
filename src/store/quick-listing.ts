// Lists a store's packs fast enough for TAB completion: from the catalog on disk, and a look at the packs
// that are not in it yet. Nothing is written, and nothing in the catalog is trusted: it may have come with a
// clone.
import * as fs from "node:fs";
import { parseTime } from "../model/times.js";
import { BrokenCatalog, type Catalog, withKeptCatalog } from "./catalog.js";
import { type HistoryEntry, readEntry, sortHistory } from "./history.js";
import { objectPath, packPath } from "./layout.js";
import { listPacks } from "./packs.js";
import type { Store } from "./store.js";

export interface QuickListing {
  /** The newest packs, newest first. */
  entries: HistoryEntry[];
  /** The hashes of all packs that begin with `prefix`; none if it is empty. */
  hashes: string[];
}

/** How many manifests are read of packs that are in no catalog, and how many bytes of them. */
const maxRead = 50;
const maxBytes = 1 << 21;

/** Lists packs. `most` is how many packs are read: the rest of a long history is known by hash only. */
export function listQuickly(
  store: Store,
  { limit, prefix }: { limit: number; prefix: string },
): QuickListing {
  return withKeptCatalog(store, (kept, { isCurrent }) => {
    try {
      return look(kept, isCurrent);
    } catch (error) {
      if (error instanceof BrokenCatalog) return look(undefined, false);
      throw error;
    }
  });
  function look(kept: Catalog | undefined, isCurrent: boolean): QuickListing {
    const known = kept === undefined ? undefined : trusted(kept, limit);
    if (kept !== undefined && known !== undefined && isCurrent)
      return { entries: known, hashes: prefix === "" ? [] : kept.byPrefix(prefix) };
    const there = new Set(listPacks(store.root));
    const old = known?.every(hasTime) === true ? known.filter(({ hex }) => there.has(hex)) : undefined;
    const listed = new Set(old === undefined ? [] : kept?.byPrefix(""));
    const unlisted = [...there].filter((hex) => !listed.has(hex));
    return {
      entries: sortHistory(store.root, [...(old ?? []), ...readNewest(store.root, unlisted)]).slice(0, limit),
      hashes: prefix === "" ? [] : [...there].filter((hex) => hex.startsWith(prefix)),
    };
  }
}

/**
 * Returns the first entries of a catalog; undefined if one of them is not what this program would have
 * written.
 */
function trusted(catalog: Catalog, limit: number): HistoryEntry[] | undefined {
  const entries: HistoryEntry[] = [];
  try {
    for (const entry of catalog.entries()) {
      if (!isSound(entry)) return undefined;
      entries.push(entry);
      if (entries.length === limit) break;
    }
    return entries;
  } catch {
    return undefined;
  }
}

function isSound({ hex, content }: HistoryEntry): boolean {
  if (typeof hex !== "string") return false;
  if ("damage" in content) return true;
  const { created, model, tools, models = [], session = "", agent = "", title = "" } = content;
  const isText = [created, model, session, agent, title].every((value) => typeof value === "string");
  return (
    isText &&
    [tools, models].every((names) => Array.isArray(names) && names.every((name) => typeof name === "string"))
  );
}

function hasTime({ content }: HistoryEntry): boolean {
  return "damage" in content || typeof parseTime(content.created) !== "string";
}

/** Reads the packs that arrived last. */
function readNewest(root: string, hashes: readonly string[]): HistoryEntry[] {
  let newest = hashes;
  if (hashes.length > maxRead) {
    const arrived = hashes.map((hex) => ({ hex, at: statOf(packPath(root, hex))?.mtimeMs ?? 0 }));
    newest = arrived.sort((a, b) => b.at - a.at).map(({ hex }) => hex);
  }
  let left = maxBytes;
  return newest.slice(0, maxRead).flatMap((hex) => {
    left -= statOf(objectPath(root, hex))?.size ?? 0;
    return left < 0 ? [] : (readEntry(root, hex) ?? []);
  });
}

function statOf(path: string): fs.Stats | undefined {
  return fs.lstatSync(path, { throwIfNoEntry: false });
}
