// Which packs were made from which, and which name the runs of sub-agents.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { subAgentsOf } from "../model/manifest.js";
import { withCatalog } from "./catalog.js";
import type { HistoryEntry } from "./history.js";
import { readObject } from "./objects.js";
import { hasOthers, listPacks, parentOf, readPack } from "./packs.js";
import type { Store } from "./store.js";

/** The packs that name one of these as their parent, and are none of them; newest first. Those that nobody can read are told apart. */
export function childrenOf(
  store: Store,
  packs: ReadonlySet<string>,
  unread: (hex: string) => void = () => undefined,
): string[] {
  // In a small store that is often all there is to know, and reading the catalog takes longer.
  if (!hasOthers(store.root, packs)) return [];
  return withCatalog(store, (catalog) => {
    // Of one that could not be read its parent is asked below.
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

/** Whether a pack was made from one of these. Of one that is damaged that is not known; one that cannot be read is an error. */
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

/** The packs of which a step names one of these as the run of a sub-agent, and that are none of them. */
export function callersOf(store: Store, packs: ReadonlySet<string>, onProgress?: () => void): string[] {
  if (!hasOthers(store.root, packs)) return [];
  return listPacks(store.root).filter((hex) => {
    onProgress?.();
    return !packs.has(hex) && isCaller(store, hex, packs);
  });
}

/** How a manifest's canonical text names a pack in a step; parameters may look like that, too. */
const namedPack = /"pack":"sha256:([0-9a-f]{64})"/g;

/** The text is searched first: most packs call no sub-agent, and reading a manifest takes longer. One that is damaged names nothing. */
function isCaller(store: Store, hex: string, packs: ReadonlySet<string>): boolean {
  try {
    if (!mayName(readObject(store.root, hex), packs)) return false;
    return [...subAgentsOf(readPack(store.root, hex).manifest)].some((name) => packs.has(hexOf(name)));
  } catch (error) {
    if (!(error instanceof CtxError) || error.code === "io") throw error;
    // What a newer ctx wrote names it in a way that is not known here.
    return error.code === "unknown-version";
  }
}

function mayName(bytes: Buffer, packs: ReadonlySet<string>): boolean {
  const pieceSize = 1 << 24;
  for (let from = 0; from < bytes.length; from += pieceSize)
    // A little more than the piece, for a name that begins at its end.
    for (const [, name = ""] of bytes.toString("latin1", from, from + pieceSize + 80).matchAll(namedPack))
      if (packs.has(name)) return true;
  return false;
}
