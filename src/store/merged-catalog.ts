// A catalog and the changes since it was written, read as one catalog. Only what the changes touch is
// computed anew: which packs there are, their order, and the versions of the sessions that a pack joined or
// left.
import { type Catalog, type CatalogFile, sessionOfVersion } from "./catalog-file.js";
import { BrokenCatalog } from "./catalog-rows.js";
import { type HistoryEntry, mergeHistory, sortHistory } from "./history.js";

export function mergeCatalogs(root: string, base: CatalogFile, changes: CatalogFile): Catalog {
  const hidden = changes.hidden();
  const isHidden = (hex: string): boolean => hidden.has(hex);
  return {
    count: base.count - hidden.size + changes.count,
    damaged: base.damaged + changes.damaged,
    times: changes.times,
    *entries() {
      const numbered = withVersions(root, base, changes);
      const rest = visible(base.entries(), isHidden);
      for (const entry of mergeHistory(root, rest, changes.entries())) yield numbered(entry);
    },
    isFresh: () => false,
    byPrefix: (prefix) => {
      const kept = base.byPrefix(prefix).filter((hex) => !isHidden(hex));
      const added = changes.byPrefix(prefix);
      return added.length === 0 ? kept : [...kept, ...added].sort();
    },
    byContent: (hex) => [
      ...base.byContent(hex).filter(({ pack }) => !isHidden(pack)),
      ...changes.byContent(hex),
    ],
    byParent(hex) {
      const kept = base.byParent(hex).filter((child) => !isHidden(child));
      const added = changes.byParent(hex);
      if (added.length === 0 || kept.length === 0) return kept.length === 0 ? added : kept;
      const entries = [
        ...kept.map((child) => found(base, child)),
        ...added.map((child) => found(changes, child)),
      ];
      return sortHistory(root, entries).map((entry) => entry.hex);
    },
  };
}

function* visible(
  entries: Iterable<HistoryEntry>,
  isHidden: (hex: string) => boolean,
): Generator<HistoryEntry> {
  for (const entry of entries) if (!isHidden(entry.hex)) yield entry;
}

/** Returns the entry of a pack that a table of this file names. */
function found(file: CatalogFile, hex: string): HistoryEntry {
  const entry = file.find(hex);
  if (entry === undefined) throw new BrokenCatalog();
  return entry;
}

/** Returns a function that numbers the versions of those sessions that the changes touch. */
function withVersions(
  root: string,
  base: CatalogFile,
  changes: CatalogFile,
): (entry: HistoryEntry) => HistoryEntry {
  const hidden = changes.hidden();
  const touched = new Set<string | undefined>([...hidden.values(), ...changes.sessions()]);
  touched.delete(undefined);
  if (touched.size === 0) return (entry) => entry;
  const known = new Map<string, ReadonlyMap<string, HistoryEntry["version"]>>();
  return (entry) => {
    const session = sessionOfVersion(entry);
    if (session === undefined || !touched.has(session)) return entry;
    const versions = known.get(session) ?? versionsOf(session);
    known.set(session, versions);
    const version = versions.get(entry.hex);
    return version === undefined ? entry : { ...entry, version };
  };
  function versionsOf(session: string): ReadonlyMap<string, { number: number; of: number }> {
    const kept = base.bySession(session).filter((hex) => !hidden.has(hex));
    const packs = [
      ...kept.map((hex) => found(base, hex)),
      ...changes.bySession(session).map((hex) => found(changes, hex)),
    ];
    const of = packs.length;
    return new Map(sortHistory(root, packs).map(({ hex }, at) => [hex, { number: of - at, of }]));
  }
}
