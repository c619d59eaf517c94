// Searches the runs of a store, newest first. Packs that the index knows are read only where it says that they may
// match; all others are read whole. Runs are searched in waves, so that all cores have work and the first hits come
// at once.
import { hexOf, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import type { FoundRun, SearchGap, SearchHit, SearchSummary } from "../results/search.js";
import { type Catalog, type HistoryEntry, readEntry } from "../store/catalog.js";
import { hasPack, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { readTitle } from "../store/titles.js";
import { HitCollector, type HitOptions, searchedTexts } from "./collect-hits.js";
import { compileMatcher, type Matcher, type SearchPattern } from "./matcher.js";
import { type RunPacks, RunPlanner } from "./plan-runs.js";
import { runParts } from "./run-texts.js";
import { ParameterFilter } from "./parameter-filter.js";
import type { ScanOutcome } from "./scan-contents.js";
import { SearchThreads } from "./search-threads.js";
import { TextIndex } from "./text-index.js";
import type { BegunWave, PlannedPack, PlannedRun } from "./wave.js";

export interface RunSearchOptions extends HitOptions {
  pattern: SearchPattern;
  /** Which packs are searched. */
  fits: (entry: HistoryEntry) => boolean;
  /** Report the hits in a sub-agent's run as hits of the run that started it. */
  foldsSubagents: boolean;
  useIndex: boolean;
  maxRuns: number;
  oldestFirst: boolean;
  onRun: (run: FoundRun) => void;
  /** Called at the end with how many packs the index knows, and how many there are. */
  onIndexed?: ((indexed: number, total: number) => void) | undefined;
}

/** How much the first wave has, so that the first hit is printed at once, and how many contents the largest ones have. */
const firstWave = 1;
const largestWave = 4096;
/** How many hits of a content a thread returns; of one with more, all are searched for again. */
const hitsAtOnce = 100;

/** Searches packs: those of the catalog, or these. */
export function searchRuns(
  store: Store,
  { catalog, packs }: { catalog: Catalog; packs?: readonly string[] | undefined },
  options: RunSearchOptions,
): SearchSummary {
  const search = new RunSearch(store, catalog, options);
  try {
    return search.run(packs);
  } finally {
    search.close();
  }
}

class RunSearch {
  readonly #store: Store;
  readonly #catalog: Catalog;
  readonly #options: RunSearchOptions;
  readonly #matcher: Matcher;
  readonly #index: TextIndex | undefined;
  /** How many packs the index knows, whether it can tell them apart or not. */
  readonly #indexed: number | undefined;
  readonly #threads: SearchThreads;
  readonly #parameters: ParameterFilter;
  readonly #planner: RunPlanner;
  readonly #collector: HitCollector;
  /** The manifests of the packs of a wave. */
  readonly #manifests = new Map<string, Manifest | undefined>();
  /** Contents without a hit. */
  readonly #clean = new Set<string>();
  readonly #gaps = new Map<string, SearchGap>();
  readonly #searched = { packs: 0, objects: 0, read: 0, bytes: 0 };
  /** Whether all texts but system prompts are searched. */
  readonly #isWhole: boolean;
  #hits = 0;
  #runs = 0;

  constructor(store: Store, catalog: Catalog, options: RunSearchOptions) {
    this.#store = store;
    this.#catalog = catalog;
    this.#options = options;
    this.#matcher = compileMatcher(options.pattern);
    this.#parameters = new ParameterFilter(
      store.root,
      this.#matcher.needs,
      options.pattern.ignoreCase === true,
    );
    const { isStep, parts } = options;
    this.#isWhole = isStep === undefined && runParts.every((part) => parts.has(part) === (part !== "system"));
    this.#threads = new SearchThreads(store.root);
    this.#planner = new RunPlanner({
      root: store.root,
      catalog,
      fits: options.fits,
      foldsSubagents: options.foldsSubagents,
      manifestOf: (hex) => this.#manifestOf(hex),
    });
    this.#collector = new HitCollector(store.root, this.#matcher, options, (gap) => this.#addGap(gap));
    if (!options.useIndex) return;
    const index = TextIndex.open(store);
    this.#indexed = index.size;
    if (index.select(this.#matcher.needs)) this.#index = index;
    else index.close();
  }

  close(): void {
    this.#index?.close();
    this.#threads.close();
  }

  run(packs: readonly string[] | undefined): SearchSummary {
    const { root } = this.#store;
    const runs =
      packs === undefined
        ? this.#planner.runs(
            this.#options.oldestFirst ? [...this.#catalog.entries()].toReversed() : this.#catalog.entries(),
          )
        : this.#planner.named(packs.flatMap((hex) => readEntry(root, hex) ?? []));
    const isOver = this.#searchAll(runs);
    const indexed = this.#index?.size ?? this.#indexed;
    if (indexed !== undefined) this.#options.onIndexed?.(indexed, this.#catalog.count);
    const summary: SearchSummary = {
      searched: this.#searched,
      hits: this.#hits,
      runs: this.#runs,
      total: this.#catalog.count,
      echoes: this.#collector.echoes,
      incomplete: [...this.#gaps.values()],
    };
    return isOver ? { ...summary, ended_early: true } : summary;
  }

  /** Returns whether the search ended before all runs were searched. */
  #searchAll(runs: Iterable<RunPacks>): boolean {
    let size = firstWave;
    let wave: PlannedRun[] = [];
    let work = 0;
    let begun: BegunWave | undefined;
    for (const { main, packs } of runs) {
      if (this.#runs >= this.#options.maxRuns) return true;
      const planned: PlannedPack[] = [];
      for (const entry of packs) {
        const pack = this.#plan(entry);
        if (pack !== undefined) planned.push(pack);
      }
      if (planned.length === 0) continue;
      const run = { main, packs: planned };
      wave.push(run);
      for (const { contents } of run.packs) work += contents.length + 1;
      if (work < size) continue;
      const next = this.#begin(wave, begun);
      if (begun !== undefined && this.#report(begun)) return true;
      begun = next;
      // Other threads search while this one plans the next wave; but the first hits come as soon as they can.
      if (!next.isShared) {
        if (this.#report(next)) return true;
        begun = undefined;
      }
      [wave, work, size] = [[], 0, Math.min(size * 4, largestWave)];
    }
    const last = this.#begin(wave, begun);
    return (begun !== undefined && this.#report(begun)) || this.#report(last);
  }

  /** Returns what is to be searched in a pack; undefined if it cannot be read, or if the index rules it out. */
  #plan(entry: HistoryEntry): PlannedPack | undefined {
    this.#searched.packs++;
    if ("damage" in entry.content) {
      this.#addGap({ pack: toReference(entry.hex), message: entry.content.damage });
      return undefined;
    }
    const candidates = this.#index?.candidatesOf(entry.hex);
    if (candidates !== undefined) {
      this.#searched.objects += candidates.count;
      const isRuledOut = candidates.contents.size === 0 && !candidates.hasParameters;
      // The index tells groups apart, the manifest itself is more exact.
      const hasParameters = candidates.hasParameters ? undefined : false;
      return isRuledOut ? undefined : { entry, contents: [...candidates.contents], hasParameters };
    }
    const quick =
      this.#isWhole && !this.#manifests.has(entry.hex) ? this.#parameters.contentsOf(entry.hex) : undefined;
    if (quick !== undefined) {
      this.#searched.objects += quick.contents.size;
      return { entry, contents: [...quick.contents], hasParameters: quick.mayMatch };
    }
    const manifest = this.#manifestOf(entry.hex);
    if (manifest === undefined) return undefined;
    const contents = new Set<string>();
    for (const text of searchedTexts(manifest, this.#options))
      if ("content" in text) contents.add(hexOf(text.content));
    this.#searched.objects += contents.size;
    return { entry, contents: [...contents], hasParameters: undefined };
  }

  /** Returns the manifest of a pack; undefined, and a gap, if it cannot be read. */
  #manifestOf(hex: string): Manifest | undefined {
    if (this.#manifests.has(hex)) return this.#manifests.get(hex);
    let manifest: Manifest | undefined;
    try {
      ({ manifest } = readPack(this.#store.root, hex));
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      this.#addGap({ pack: toReference(hex), message: error.message });
    }
    this.#manifests.set(hex, manifest);
    return manifest;
  }

  /** Adds what could not be searched, unless the pack has been removed meanwhile. */
  #addGap(gap: SearchGap): void {
    const key = `${gap.pack} ${gap.ref ?? ""}`;
    if (!this.#gaps.has(key) && hasPack(this.#store.root, hexOf(gap.pack))) this.#gaps.set(key, gap);
  }

  /** Begins to search some runs. What is in the contents of the wave before is known by then. */
  #begin(runs: readonly PlannedRun[], former: BegunWave | undefined): BegunWave {
    const { pattern, context, maxHits } = this.#options;
    const contents = new Set<string>();
    for (const { packs } of runs)
      for (const pack of packs)
        for (const hex of pack.contents)
          if (!this.#clean.has(hex) && former?.contents.has(hex) !== true) contents.add(hex);
    const limits = { context, most: Math.min(maxHits, hitsAtOnce) };
    const work = { kind: "scan", contents: [...contents], pattern, limits } as const;
    const isShared = this.#threads.isShared(work);
    return { runs, contents, former, isShared, list: work.contents, finish: this.#threads.begin(work) };
  }

  /** Reports the runs of a wave that have hits. Returns whether the search ended before the last of them. */
  #report(wave: BegunWave): boolean {
    const { items, bytes } = wave.finish();
    this.#searched.read += wave.contents.size;
    this.#searched.bytes += bytes;
    wave.outcomes = new Map(
      items.map(([at, outcome]) => [wave.list[at] as string, outcome as ScanOutcome] as const),
    );
    for (const hex of wave.contents) if (!wave.outcomes.has(hex)) this.#clean.add(hex);
    const outcomes = new Map([...(wave.former?.outcomes ?? []), ...wave.outcomes]);
    wave.former = undefined;
    for (const run of wave.runs) {
      if (this.#runs >= this.#options.maxRuns) return true;
      const found = this.#hitsOf(run, outcomes);
      for (const { entry } of run.packs) this.#manifests.delete(entry.hex);
      if (found.length === 0) continue;
      this.#runs++;
      this.#hits += found.length;
      this.#options.onRun({ ...this.#describe(run.main), hits: found, count: found.length });
    }
    return false;
  }

  #hitsOf(run: PlannedRun, outcomes: ReadonlyMap<string, ScanOutcome>): SearchHit[] {
    const hits: SearchHit[] = [];
    for (const { entry, contents, hasParameters: known } of run.packs) {
      const { hex } = entry;
      const hasContents = contents.some((content) => outcomes.has(content));
      const hasParameters = known ?? (this.#manifests.has(hex) || this.#parameters.mayMatch(hex));
      const manifest = hasContents || hasParameters ? this.#manifestOf(hex) : undefined;
      if (manifest === undefined) continue;
      for (const hit of this.#collector.hitsIn(hex, manifest, { outcomes, hasParameters })) {
        if (hits.length === this.#options.maxHits) return hits;
        hits.push(hex === run.main.hex ? hit : { ...hit, run: toReference(run.main.hex) });
      }
    }
    return hits;
  }

  #describe({ hex, content }: HistoryEntry): Omit<FoundRun, "hits" | "count"> {
    if ("damage" in content) throw new TypeError("a damaged pack has no hits");
    const { created, model, agent, title } = content;
    return {
      pack: toReference(hex),
      created,
      title: readTitle(this.#store.root, hex) ?? title ?? null,
      model,
      ...(agent === undefined ? {} : { agent }),
    };
  }
}
