// `ctx log`: lists the packs of a store, newest first, all or those that match.
import { hexOf, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { LogEntry, LogResult } from "../results/log.js";
import {
  type Catalog,
  type HistoryEntry,
  type OnPackRead,
  readEntry,
  withCatalog,
} from "../store/catalog.js";
import { signatureOf } from "../store/objects.js";
import { knownOrigin } from "../verify/origin.js";
import { compileFactFilter, type FactFilter } from "../search/fact-filter.js";
import { withFacts } from "../search/facts.js";
import { ownSession, startingSession, withStartingRuns } from "../search/sub-runs.js";
import { hasPack, readPack } from "../store/packs.js";
import { readTags } from "../store/refs.js";
import { type RunFilter, runFilter } from "../store/run-filter.js";
import type { Store } from "../store/store.js";
import { readTitle, titledPacks } from "../store/titles.js";

export type { FactFilter } from "../search/fact-filter.js";

export interface LogOptions extends RunFilter, FactFilter {
  /** Maximum number of entries. */
  limit?: number;
  /** Leave out the runs of sub-agents whose run is in the store: they are a part of it. */
  foldSubagents?: boolean;
  /**
   * List children before their parents and keep each line of descent together, as the lineage graph needs
   * them.
   */
  byLineage?: boolean;
  /** Called while all packs are read, as for the first list of a store. */
  progress?: OnPackRead;
}

export function log(store: Store, options: LogOptions = {}): LogResult {
  const filter = compileFactFilter(options);
  if (filter === undefined) return list(store, options);
  return withFacts(
    store,
    (facts) => {
      const isSelected = facts.selecting(filter);
      return list(store, options, (entry) => "damage" in entry.content || isSelected(entry.hex));
    },
    options.progress,
  );
}

function list(store: Store, options: LogOptions, isSelected?: (entry: HistoryEntry) => boolean): LogResult {
  const fits = runFilter(store, options);
  const maxEntries = options.limit ?? Number.POSITIVE_INFINITY;
  // The lineage is known only after all packs have been read.
  const limit = options.byLineage === true ? Number.POSITIVE_INFINITY : maxEntries;
  const { byPack: tags, lost } = readTags(store.root);
  const names: PackNames = { tags, titled: titledPacks(store.root) };
  return withCatalog(
    store,
    (catalog) => {
      const isFolded = foldOf(catalog, options);
      const isListed =
        isSelected === undefined
          ? () => true
          : foldsSubagents(options)
            ? withStartingRuns(catalog, isSelected)
            : isSelected;
      const entries: LogEntry[] = [];
      const damaged = new Map<string, string>();
      const newer = new Map<string, string>();
      for (const kept of catalog.entries()) {
        // Report known damage even beyond the limit.
        if (entries.length >= limit && damaged.size + newer.size >= catalog.damaged) break;
        const entry = catalog.isFresh(kept.hex) ? kept : upToDate(store, kept);
        if (entry === undefined) continue;
        if ("damage" in entry.content)
          (entry.content.newer === true ? newer : damaged).set(entry.hex, entry.content.damage);
        // Called for every entry: it learns from them which runs are listed.
        const folded = isFolded(entry);
        if (entries.length < limit && !folded && fits(entry) && isListed(entry))
          entries.push(describe(store, entry, names));
      }
      const listed = options.byLineage === true ? byLineage(entries).slice(0, maxEntries) : entries;
      for (const entry of listed)
        if (entry.parent !== undefined && !hasPack(store.root, hexOf(entry.parent)))
          entry.parent_absent = true;
      return {
        entries: listed,
        total: catalog.count,
        damaged: withMessages(damaged),
        newer: withMessages(newer),
        lost_tags: lost,
      };
    },
    options.progress,
  );
}

function withMessages(packs: ReadonlyMap<string, string>): LogResult["damaged"] {
  return [...packs].map(([hex, message]) => ({ hash: toReference(hex), message }));
}

/**
 * Sorts packs so that each comes before its parent. A pack is followed directly by its parent if all other
 * children of that parent came before.
 */
function byLineage(entries: readonly LogEntry[]): LogEntry[] {
  const known = new Map(entries.map((entry) => [entry.hash, entry]));
  const children = new Map<string, number>();
  for (const { parent } of entries)
    if (parent !== undefined) children.set(parent, (children.get(parent) ?? 0) + 1);
  const waiting = entries.filter(({ hash }) => !children.has(hash)).toReversed();
  const ordered: LogEntry[] = [];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    ordered.push(entry);
    const parent = entry.parent === undefined ? undefined : known.get(entry.parent);
    if (parent === undefined) continue;
    const left = (children.get(parent.hash) as number) - 1;
    children.set(parent.hash, left);
    if (left === 0) waiting.push(parent);
  }
  return ordered;
}

function foldsSubagents({ foldSubagents, session, tag, parent }: LogOptions): boolean {
  // These filters ask for certain packs.
  return foldSubagents === true && [session, tag, parent].every((filter) => filter === undefined);
}

/**
 * Returns a predicate that must see every entry in order: whether it is the run of a sub-agent, and the run
 * that started it is in the store too. A sub-agent ends before the run that started it, so that run is
 * usually known already; else the whole catalog is searched for it, once.
 */
function foldOf(catalog: Catalog, options: LogOptions): (entry: HistoryEntry) => boolean {
  if (!foldsSubagents(options)) return () => false;
  const listed = new Set<string>();
  const note = (entry: HistoryEntry): void => {
    const session = ownSession(entry);
    if (session !== undefined) listed.add(session);
  };
  let isComplete = false;
  return (entry) => {
    note(entry);
    const session = startingSession(entry);
    if (session === undefined) return false;
    if (!listed.has(session) && !isComplete) {
      for (const each of catalog.entries()) note(each);
      isComplete = true;
    }
    return listed.has(session);
  };
}

/** Returns the current entry; reads the manifest again if its file has changed since it was catalogued. */
function upToDate(store: Store, entry: HistoryEntry): HistoryEntry | undefined {
  if (signatureOf(store.root, entry.hex) === entry.signature) return entry;
  const now = readEntry(store.root, entry.hex);
  if (now === undefined) return undefined;
  // Only the catalog knows all versions, and the result of comparing a pack with its parent.
  const { neverRun } = "damage" in entry.content ? {} : entry.content;
  if (neverRun !== undefined && !("damage" in now.content)) now.content.neverRun = neverRun;
  return entry.version === undefined ? now : { ...now, version: entry.version };
}

/** The names that users gave to packs. */
interface PackNames {
  tags: ReadonlyMap<string, string[]>;
  /** The packs that may have a title of the user's. */
  titled: ReadonlySet<string>;
}

function describe(store: Store, { hex, content, version }: HistoryEntry, names: PackNames): LogEntry {
  const hash = toReference(hex);
  const own = names.tags.get(hex) ?? [];
  const chosen = names.titled.has(hex) ? readTitle(store.root, hex) : undefined;
  if ("damage" in content) {
    const unread = { hash, created: null, model: null, steps: null, title: chosen ?? null, tags: own };
    return content.newer === true ? { ...unread, damaged: false, newer: true } : { ...unread, damaged: true };
  }
  const { created, model, steps, parent, session, subagent, project, agent, format, origin, neverRun } =
    content;
  const { prompts, failed, subruns, duration, tokens } = content;
  const title = chosen ?? content.title ?? null;
  const line: LogEntry = { hash, created, model, steps, title, prompts, failed, tags: own, damaged: false };
  if (duration !== undefined) line.duration_ms = duration;
  if (content.denied !== undefined) line.denied = content.denied;
  if (tokens !== undefined) line.tokens = tokens;
  line.subruns = subruns;
  if (content.untimed === true) line.untimed = true;
  if (parent !== undefined) line.parent = toReference(parent);
  if (session !== undefined) line.session = session;
  if (subagent !== undefined) line.subagent = subagent;
  if (project !== undefined) line.project = project;
  if (agent !== undefined) line.agent = agent;
  if (format !== undefined) line.format = format;
  if (origin !== undefined) line.origin = origin;
  if (origin === "replay" && isReplayOfDraft(store, hex)) line.of_draft = true;
  // As in `ctx show`: a draft is recognised only by comparison with its parent.
  else if (neverRun === true && hasPack(store.root, parent ?? "")) line.origin = "draft";
  return version === undefined ? line : { ...line, version: version.number, versions: version.of };
}

/**
 * Returns whether a replay is of a draft. Called only for packs whose origin is a replay, because it reads
 * the pack.
 */
function isReplayOfDraft(store: Store, hex: string): boolean {
  try {
    const origin = knownOrigin(store, readPack(store.root, hex).manifest);
    return origin?.kind === "replay" && origin.of_draft === true;
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}
