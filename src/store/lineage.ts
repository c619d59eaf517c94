// Which packs were made from which.
import { CtxError } from "../base/errors.js";
import { withCatalog } from "./catalog.js";
import type { HistoryEntry } from "./history.js";
import { hasOthers, parentOf, readPack } from "./packs.js";
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
