// Finds which packs were made from which, and which name the runs of sub-agents.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { subAgentsOf } from "../model/manifest.js";
import { withCatalog } from "./catalog.js";
import type { HistoryEntry } from "./history.js";
import { readObject } from "./objects.js";
import { hasOthers, listPacks, parentOf, readPack } from "./packs.js";
import type { Store } from "./store.js";

/**
 * Returns the packs outside of `packs` whose parent is one of `packs`, newest first. Calls `unread` for each
 * pack that cannot be read.
 */
export function childrenOf(
  store: Store,
  packs: ReadonlySet<string>,
  unread: (hex: string) => void = () => undefined,
): string[] {
  // In a small store this often answers the question, and reading the catalog takes longer.
  if (!hasOthers(store.root, packs)) return [];
  return withCatalog(store, (catalog) => {
    // The parents of packs that could not be catalogued are read below.
    const [only, another] = packs;
    if (catalog.damaged === 0 && only !== undefined && another === undefined)
      return catalog.byParent(only).filter((hex) => hex !== only);
    const found: string[] = [];
    for (const { hex, content } of catalog.entries())
      if (!packs.has(hex)) {
        const isOne = isChild(store, hex, content, packs);
        if (isOne === undefined) unread(hex);
        else if (isOne) found.push(hex);
      }
    return found;
  });
}

/**
 * Returns whether a pack was made from one of these. Undefined for a damaged pack; throws if a file cannot be
 * read.
 */
function isChild(
  store: Store,
  hex: string,
  content: HistoryEntry["content"],
  packs: ReadonlySet<string>,
): boolean | undefined {
  if (!("damage" in content)) return packs.has(content.parent ?? "");
  try {
    return packs.has(parentOf(readPack(store.root, hex)) ?? "");
  } catch (error) {
    if (error instanceof CtxError && error.code !== "io") return undefined;
    throw error;
  }
}

/** Returns the packs outside of `packs` in which a step names one of `packs` as the run of a sub-agent. */
export function callersOf(store: Store, packs: ReadonlySet<string>, onProgress?: () => void): string[] {
  if (!hasOthers(store.root, packs)) return [];
  return listPacks(store.root).filter((hex) => {
    onProgress?.();
    return !packs.has(hex) && isCaller(store, hex, packs);
  });
}

/** How a manifest's canonical text names a pack in a step; parameters may look like that, too. */
const namedPack = /"pack":"sha256:([0-9a-f]{64})"/g;

/**
 * Returns whether a pack calls one of these. Searches the text first: most packs call no sub-agent, and
 * reading a manifest takes longer. A damaged pack names nothing.
 */
function isCaller(store: Store, hex: string, packs: ReadonlySet<string>): boolean {
  try {
    if (!mayName(readObject(store.root, hex), packs)) return false;
    return [...subAgentsOf(readPack(store.root, hex).manifest)].some((name) => packs.has(hexOf(name)));
  } catch (error) {
    if (!(error instanceof CtxError) || error.code === "io") throw error;
    // A manifest of a newer ctx may name the pack in a way that is not known here.
    return error.code === "unknown-version";
  }
}

function mayName(bytes: Buffer, packs: ReadonlySet<string>): boolean {
  const pieceSize = 1 << 24;
  for (let from = 0; from < bytes.length; from += pieceSize)
    // Slightly more than the piece, for a name that begins at its end.
    for (const [, name = ""] of bytes.toString("latin1", from, from + pieceSize + 80).matchAll(namedPack))
      if (packs.has(name)) return true;
  return false;
}
