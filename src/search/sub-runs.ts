// Which run started the run of a sub-agent: their logs name the same session. Lists count the two as one.
import { sortKey } from "../model/times.js";
import type { Catalog, HistoryEntry } from "../store/catalog.js";

/** Returns the session of a run that no other run started. */
export function ownSession({ content }: HistoryEntry): string | undefined {
  if ("damage" in content || content.session === undefined || content.subagent !== undefined)
    return undefined;
  return `${content.format ?? ""} ${content.session}`;
}

/** Returns the session of the run that started a sub-agent's. */
export function startingSession({ content }: HistoryEntry): string | undefined {
  if ("damage" in content) return undefined;
  const { session, subagent, format } = content;
  if (session === undefined || subagent === undefined) return undefined;
  return `${format ?? ""} ${session.slice(0, -subagent.length - 1)}`;
}

/** Returns a predicate for runs that are selected themselves, or one of whose sub-agents' runs is. */
export function withStartingRuns(
  catalog: Catalog,
  isSelected: (entry: HistoryEntry) => boolean,
): (entry: HistoryEntry) => boolean {
  /** When the first selected run of a sub-agent ended, by the session that started it. */
  const starting = new Map<string, string>();
  for (const entry of catalog.entries()) {
    const session = startingSession(entry);
    if (session === undefined || "damage" in entry.content || !isSelected(entry)) continue;
    const ended = sortKey(entry.content.created);
    const known = starting.get(session);
    if (known === undefined || ended < known) starting.set(session, ended);
  }
  if (starting.size === 0) return isSelected;
  return (entry) => {
    if (isSelected(entry)) return true;
    const ended = starting.get(ownSession(entry) ?? "");
    if (ended === undefined || "damage" in entry.content) return false;
    const { version } = entry;
    // An older version of the session may have been packed before the sub-agent ran.
    return version === undefined || version.number === version.of || sortKey(entry.content.created) >= ended;
  };
}
