// The sessions of agents that a store has packs of, found by their id.
import { withCatalog } from "./catalog.js";
import type { Store } from "./store.js";

/** The fewest characters of a session's id that stand for it. */
export const minSession = 6;

/** Returns the newest version of each session in the store whose id begins with the text. */
export function packedSessions(store: Store, text: string): { id: string; pack: string }[] {
  const found = new Map<string, string>();
  withCatalog(store, (catalog) => {
    for (const { hex, content } of catalog.entries()) {
      if ("damage" in content || content.session === undefined || content.subagent !== undefined) continue;
      // A fork or a replay is no version of its session.
      if (content.parent !== undefined || content.origin !== undefined) continue;
      const { session: id } = content;
      if (id.startsWith(text) && !found.has(id)) found.set(id, hex);
    }
  });
  return [...found].map(([id, pack]) => ({ id, pack }));
}
