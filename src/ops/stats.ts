// `ctx stats`: how many runs there are, and what they did and cost, by day, week, model, agent, tool or project.
import { toReference } from "../base/digest.js";
import { sortKey } from "../model/times.js";
import type { StatsGroup, StatsResult } from "../results/stats.js";
import { compileFactFilter, type FactFilter } from "../search/fact-filter.js";
import { type Facts, withFacts } from "../search/facts.js";
import { type CountedPack, RunCounts } from "../search/run-counts.js";
import { ownSession, startingSession, withStartingRuns } from "../search/sub-runs.js";
import { type Catalog, type HistoryEntry, type OnPackRead, withCatalog } from "../store/catalog.js";
import { type RunFilter, runFilter } from "../store/run-filter.js";
import type { Store } from "../store/store.js";

export interface StatsOptions extends RunFilter, FactFilter {
  by?: StatsGroup;
  /** Count the runs of sub-agents as runs of their own. */
  subagents?: boolean;
  /** Days and weeks in UTC. */
  utc?: boolean;
  /** Called while packs are read, as for the first answer of a store. */
  progress?: OnPackRead;
}

export function stats(store: Store, options: StatsOptions = {}): StatsResult {
  const { by, utc = false, progress } = options;
  return withFacts(
    store,
    (facts) =>
      withCatalog(
        store,
        (catalog) => {
          const { runs, olderVersions, unreadable } = selectRuns(store, { catalog, facts }, options);
          const counts = new RunCounts({ by, utc });
          const tallyOf = facts.tallies();
          for (const { run, parts } of runs)
            for (const pack of [run, ...parts]) {
              const tally = tallyOf(pack.hex);
              if (tally === undefined) unreadable.push(pack.hex);
              else counts.add(pack, tally, run);
            }
          return {
            ...(by === undefined ? {} : { by }),
            rows: counts.rows(),
            total: counts.total(),
            older_versions: olderVersions,
            unreadable: unreadable.map(toReference),
            packs: catalog.count,
          };
        },
        progress,
      ),
    progress,
  );
}

interface SelectedRun {
  run: CountedPack;
  /** The runs of its sub-agents. */
  parts: CountedPack[];
}

interface Selection {
  runs: SelectedRun[];
  olderVersions: number;
  unreadable: string[];
}

/** Selects runs as `ctx log` does, each session once. */
function selectRuns(
  store: Store,
  { catalog, facts }: { catalog: Catalog; facts: Facts },
  options: StatsOptions,
): Selection {
  const filter = compileFactFilter(options);
  const bySheet = filter === undefined ? undefined : facts.selecting(filter);
  const own = (entry: HistoryEntry): boolean => bySheet?.(entry.hex) !== false;
  const folds = options.subagents !== true;
  const isSelected = filter !== undefined && folds ? withStartingRuns(catalog, own) : own;
  const fits = runFilter(store, options);
  const selection: Selection = { runs: [], olderVersions: 0, unreadable: [] };
  const versions = new Versions();
  const bySession = new Map<string, SelectedRun | undefined>();
  const parts: CountedPack[] = [];
  for (const entry of catalog.entries()) {
    if (!isReadable(entry)) {
      selection.unreadable.push(entry.hex);
      continue;
    }
    if (folds && startingSession(entry) !== undefined) {
      parts.push(entry);
      continue;
    }
    const session = ownSession(entry);
    if (session !== undefined && !bySession.has(session)) bySession.set(session, undefined);
    if (!fits(entry) || !isSelected(entry)) continue;
    if (versions.isOlder(entry)) selection.olderVersions++;
    else {
      const selected = { run: entry, parts: [] };
      selection.runs.push(selected);
      // A fork or a replay of a session has none of its sub-agents.
      if (session !== undefined && entry.content.parent === undefined && bySession.get(session) === undefined)
        bySession.set(session, selected);
    }
  }
  addParts(selection, parts, { bySession, options, fits: (entry) => fits(entry) && isSelected(entry) });
  return selection;
}

function isReadable(entry: HistoryEntry): entry is HistoryEntry & CountedPack {
  return !("damage" in entry.content);
}

/** Tells the newest version of a session from the older ones; packs must be asked about newest first. */
class Versions {
  readonly #sessions = new Set<string>();

  isOlder({ content, version }: HistoryEntry & CountedPack): boolean {
    if (version === undefined) return false;
    const session = `${content.format ?? ""} ${content.session ?? ""}`;
    const isOlder = this.#sessions.has(session);
    this.#sessions.add(session);
    return isOlder;
  }
}

/** Adds the runs of sub-agents to those that started them; others count for themselves. */
function addParts(
  selection: Selection,
  parts: readonly CountedPack[],
  {
    bySession,
    options,
    fits,
  }: {
    bySession: ReadonlyMap<string, SelectedRun | undefined>;
    options: StatsOptions;
    fits: (entry: HistoryEntry) => boolean;
  },
): void {
  const versions = new Versions();
  const later: CountedPack[] = [];
  // These filters ask for certain packs.
  const isNamed = [options.session, options.tag, options.parent].some((asked) => asked !== undefined);
  const add = (pack: CountedPack): void => {
    const entry = pack as HistoryEntry & CountedPack;
    const session = startingSession(entry) ?? "";
    const started = bySession.get(session);
    const counts = started !== undefined || ((isNamed || !bySession.has(session)) && fits(entry));
    if (!counts) return;
    if (versions.isOlder(entry)) selection.olderVersions++;
    else if (started === undefined) selection.runs.push({ run: pack, parts: [] });
    else started.parts.push(pack);
  };
  for (const pack of parts) {
    const started = bySession.get(startingSession(pack as HistoryEntry & CountedPack) ?? "");
    // What a sub-agent did after this version of the session is part of a newer one.
    const isLater =
      started !== undefined && sortKey(pack.content.created) > sortKey(started.run.content.created);
    if (isLater) later.push(pack);
    else add(pack);
  }
  for (const pack of later) add(pack);
}
