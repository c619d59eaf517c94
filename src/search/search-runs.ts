// Searches the runs of a store, newest first. Packs that the index knows are read only where it says that they may
// match; all others are read whole. Runs are searched in waves, so that all cores have work and the first hits come
// at once.
import { hexOf, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { FoundRun, SearchGap, SearchHit, SearchSummary } from "../results/search.js";
import type { Catalog, HistoryEntry } from "../store/catalog.js";
import { objectSize } from "../store/objects.js";
import { hasPack, readPack } from "../store/packs.js";
import { readTitle } from "../store/titles.js";
import type { Store } from "../store/store.js";
import { readEntry } from "../store/catalog.js";
import { isEcho } from "./echoes.js";
import { compileMatcher, type Matcher, type SearchPattern } from "./matcher.js";
import { type RunText, type SearchedPart, type TextPlace, textsOf } from "./run-texts.js";
import {
  type ContentHits,
  type FoundLine,
  scanBytes,
  scanContent,
  type ScanOutcome,
} from "./scan-contents.js";
import { SearchThreads } from "./search-threads.js";
import { type CandidateTexts, TextIndex } from "./text-index.js";

export interface RunSearchOptions {
  pattern: SearchPattern;
  parts: ReadonlySet<SearchedPart>;
  /** Which steps are searched; without it all, and what belongs to no step as well. */
  isStep?: ((step: Step, manifest: Manifest) => boolean) | undefined;
  /** Which packs are searched. */
  fits: (entry: HistoryEntry) => boolean;
  /** Report the hits in a sub-agent's run as hits of the run that started it. */
  foldsSubagents: boolean;
  /** Search the calls of ctx itself, too. */
  withEchoes: boolean;
  useIndex: boolean;
  context: number;
  /** The most hits for each run. */
  maxHits: number;
  maxRuns: number;
  oldestFirst: boolean;
  onRun: (run: FoundRun) => void;
}

/** How many contents the first wave has, and the largest ones. */
const firstWave = 64;
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
    const entries =
      packs === undefined
        ? catalog.entries()
        : packs.flatMap((hex) => readEntry(store.root, hex) ?? []).values();
    return search.run(options.oldestFirst ? [...entries].reverse().values() : entries);
  } finally {
    search.close();
  }
}

/** A pack that is to be searched, and what may match in it; undefined if all of it may. */
interface PlannedPack {
  entry: HistoryEntry;
  candidates: CandidateTexts | undefined;
  manifest?: Manifest;
}

/** Packs that are reported as one run. */
interface PlannedRun {
  main: HistoryEntry;
  packs: PlannedPack[];
}

class RunSearch {
  readonly #store: Store;
  readonly #catalog: Catalog;
  readonly #options: RunSearchOptions;
  readonly #matcher: Matcher;
  readonly #index: TextIndex | undefined;
  readonly #threads: SearchThreads;
  readonly #done = new Set<string>();
  /** Contents without a hit. */
  readonly #clean = new Set<string>();
  readonly #gaps: SearchGap[] = [];
  readonly #searched = { packs: 0, objects: 0, read: 0, bytes: 0 };
  #hits = 0;
  #runs = 0;
  #echoes = 0;

  constructor(store: Store, catalog: Catalog, options: RunSearchOptions) {
    this.#store = store;
    this.#catalog = catalog;
    this.#options = options;
    this.#matcher = compileMatcher(options.pattern);
    this.#threads = new SearchThreads(store.root);
    if (!options.useIndex) return;
    const index = TextIndex.open(store);
    if (index.select(this.#matcher.needs)) this.#index = index;
  }

  close(): void {
    this.#index?.close();
    this.#threads.close();
  }

  run(entries: IterableIterator<HistoryEntry>): SearchSummary {
    let size = firstWave;
    let wave: PlannedRun[] = [];
    let contents = 0;
    let isOver = false;
    for (const run of this.#planRuns(entries)) {
      wave.push(run);
      for (const pack of run.packs) contents += this.#contentsOf(pack).length;
      if (contents < size) continue;
      isOver = this.#searchWave(wave);
      if (isOver) break;
      [wave, contents, size] = [[], 0, Math.min(size * 4, largestWave)];
    }
    if (!isOver && wave.length > 0) isOver = this.#searchWave(wave);
    const summary: SearchSummary = {
      searched: this.#searched,
      hits: this.#hits,
      runs: this.#runs,
      total: this.#catalog.count,
      echoes: this.#echoes,
      incomplete: this.#gaps,
    };
    return isOver ? { ...summary, ended_early: true } : summary;
  }

  /** Yields the runs that are to be searched, with the runs of their sub-agents. */
  *#planRuns(entries: IterableIterator<HistoryEntry>): Generator<PlannedRun> {
    const postponed: HistoryEntry[] = [];
    for (const entry of entries) {
      if (this.#done.has(entry.hex) || !this.#options.fits(entry)) continue;
      // It is searched with the run that started it.
      if (this.#options.foldsSubagents && this.#mainOf(entry) !== undefined) postponed.push(entry);
      else yield* this.#planned(entry, entry);
    }
    // The run that started it names another version of it.
    for (const entry of postponed)
      if (!this.#done.has(entry.hex)) yield* this.#planned(this.#mainOf(entry) as HistoryEntry, entry);
  }

  *#planned(main: HistoryEntry, first: HistoryEntry): Generator<PlannedRun> {
    const packs: PlannedPack[] = [];
    const waiting = [first];
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
      if (this.#done.has(entry.hex)) continue;
      this.#done.add(entry.hex);
      this.#searched.packs++;
      const pack = this.#plan(entry);
      if (pack === undefined) continue;
      packs.push(pack);
      if (this.#options.foldsSubagents) for (const sub of this.#subrunsOf(pack)) waiting.push(sub);
    }
    if (packs.length > 0) yield { main, packs };
  }

  /** Returns what is to be searched in a pack; undefined if it cannot be read, or if the index rules it out. */
  #plan(entry: HistoryEntry): PlannedPack | undefined {
    if ("damage" in entry.content) {
      this.#gaps.push({ pack: toReference(entry.hex), message: entry.content.damage });
      return undefined;
    }
    const candidates = this.#index?.candidatesOf(entry.hex);
    if (candidates !== undefined) {
      this.#searched.objects += candidates.count;
      const isRuledOut = candidates.contents.size === 0 && !candidates.hasParameters;
      const mayHaveSubruns = this.#options.foldsSubagents && entry.content.subruns > 0;
      return isRuledOut && !mayHaveSubruns ? undefined : { entry, candidates };
    }
    const pack: PlannedPack = { entry, candidates: undefined };
    if (this.#manifestOf(pack) === undefined) return undefined;
    this.#searched.objects += this.#contentsOf(pack).length;
    return pack;
  }

  /** Returns the manifest of a pack; undefined, and a gap, if it cannot be read. */
  #manifestOf(pack: PlannedPack): Manifest | undefined {
    if (pack.manifest !== undefined) return pack.manifest;
    try {
      pack.manifest = readPack(this.#store.root, pack.entry.hex).manifest;
      return pack.manifest;
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      this.#gaps.push({ pack: toReference(pack.entry.hex), message: error.message });
      return undefined;
    }
  }

  /** Returns the contents of a pack that must be searched. */
  #contentsOf(pack: PlannedPack): string[] {
    if (pack.candidates !== undefined) return [...pack.candidates.contents];
    const { manifest } = pack;
    if (manifest === undefined) return [];
    const contents = new Set<string>();
    for (const text of this.#textsOf(manifest)) if ("content" in text) contents.add(hexOf(text.content));
    return [...contents];
  }

  *#textsOf(manifest: Manifest): Generator<RunText> {
    const { isStep, parts } = this.#options;
    for (const text of textsOf(manifest, (step) => isStep?.(step, manifest) !== false)) {
      const { part, step } = text.place;
      if (parts.has(part) && (isStep === undefined || step !== undefined)) yield text;
    }
  }

  /** Returns the runs of sub-agents that a run names and that the filters select. */
  #subrunsOf(pack: PlannedPack): HistoryEntry[] {
    const { content } = pack.entry;
    if ("damage" in content || content.subruns === 0) return [];
    const manifest = this.#manifestOf(pack);
    const named = new Set(
      manifest?.steps.flatMap((step) => (step.pack === undefined ? [] : [hexOf(step.pack)])),
    );
    return [...named]
      .filter((hex) => !this.#done.has(hex) && hasPack(this.#store.root, hex))
      .flatMap((hex) => readEntry(this.#store.root, hex) ?? [])
      .filter((entry) => this.#options.fits(entry));
  }

  /** The newest pack of each session that no sub-agent wrote; filled when it is first needed. */
  #mains: Map<string, HistoryEntry> | undefined;

  /** Returns the run that started a sub-agent's, if it is in the store. */
  #mainOf({ content }: HistoryEntry): HistoryEntry | undefined {
    if ("damage" in content || content.subagent === undefined || content.session === undefined)
      return undefined;
    if (this.#mains === undefined) {
      this.#mains = new Map();
      for (const entry of this.#catalog.entries()) {
        if ("damage" in entry.content || entry.content.subagent !== undefined) continue;
        const { session, format = "" } = entry.content;
        const key = `${format} ${session ?? ""}`;
        if (session !== undefined && !this.#mains.has(key)) this.#mains.set(key, entry);
      }
    }
    const session = content.session.slice(0, -content.subagent.length - 1);
    return this.#mains.get(`${content.format ?? ""} ${session}`);
  }

  /** Searches some runs and reports those with hits. Returns whether the search is over. */
  #searchWave(wave: readonly PlannedRun[]): boolean {
    const { pattern, context, maxHits, maxRuns } = this.#options;
    const contents = new Set<string>();
    for (const { packs } of wave)
      for (const pack of packs)
        for (const hex of this.#contentsOf(pack)) if (!this.#clean.has(hex)) contents.add(hex);
    const most = Math.min(maxHits, hitsAtOnce);
    const outcomes = this.#threads.scan([...contents], pattern, { context, most });
    this.#searched.read += contents.size;
    for (const hex of contents) {
      this.#searched.bytes += objectSize(this.#store.root, hex) ?? 0;
      if (!outcomes.has(hex)) this.#clean.add(hex);
    }
    for (const run of wave) {
      if (this.#runs >= maxRuns) return true;
      const found = this.#hitsOf(run, outcomes);
      if (found.length === 0) continue;
      this.#runs++;
      this.#hits += found.length;
      this.#options.onRun({ ...this.#describe(run.main), hits: found, count: found.length });
    }
    return this.#runs >= maxRuns;
  }

  #hitsOf(run: PlannedRun, outcomes: ReadonlyMap<string, ScanOutcome>): SearchHit[] {
    const hits: SearchHit[] = [];
    for (const pack of run.packs) {
      const { candidates } = pack;
      const mayMatch =
        candidates === undefined ||
        candidates.hasParameters ||
        [...candidates.contents].some((hex) => outcomes.has(hex));
      const manifest = mayMatch ? this.#manifestOf(pack) : undefined;
      if (manifest === undefined) continue;
      for (const hit of this.#hitsIn(pack, manifest, outcomes)) {
        if (hits.length === this.#options.maxHits) return hits;
        hits.push(pack.entry.hex === run.main.hex ? hit : { ...hit, run: toReference(run.main.hex) });
      }
    }
    return hits;
  }

  *#hitsIn(
    { entry, candidates }: PlannedPack,
    manifest: Manifest,
    outcomes: ReadonlyMap<string, ScanOutcome>,
  ): Generator<SearchHit> {
    const pack = toReference(entry.hex);
    const left = new Set<number>();
    for (const text of this.#textsOf(manifest)) {
      const found =
        "content" in text
          ? this.#linesOf(pack, hexOf(text.content), outcomes)
          : candidates === undefined || candidates.hasParameters
            ? this.#linesIn(Buffer.from(text.text))
            : [];
      const { place } = text;
      const step = place.step === undefined ? undefined : manifest.steps[place.step];
      for (const line of found) {
        if (step !== undefined && !this.#options.withEchoes && isEcho(step, manifest)) {
          if (!left.has(step.index)) this.#echoes++;
          left.add(step.index);
          break;
        }
        yield hitOf({ pack, created: manifest.created, place, step }, text, line);
      }
    }
  }

  #linesOf(
    pack: SearchGap["pack"],
    hex: string,
    outcomes: ReadonlyMap<string, ScanOutcome>,
  ): Iterable<FoundLine> {
    const outcome = outcomes.get(hex);
    if (outcome === undefined) return [];
    if ("code" in outcome) {
      this.#gaps.push({ pack, ref: toReference(hex), message: outcome.message });
      return [];
    }
    return outcome.hasMore && outcome.hits.length < this.#options.maxHits ? this.#allOf(hex) : outcome.hits;
  }

  /** Searches a content with many hits again, for all of them. */
  #allOf(hex: string): FoundLine[] {
    const { context, maxHits } = this.#options;
    const outcome = scanContent(this.#store.root, hex, this.#matcher, { context, most: maxHits });
    return outcome === undefined || "code" in outcome ? [] : outcome.hits;
  }

  #linesIn(bytes: Buffer): ContentHits["hits"] {
    const { context, maxHits } = this.#options;
    return scanBytes(bytes, this.#matcher, { context, most: maxHits }).hits;
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

function hitOf(
  {
    pack,
    created,
    place,
    step,
  }: { pack: SearchHit["pack"]; created: string; place: TextPlace; step: Step | undefined },
  text: RunText,
  { line, column, text: shown, match, isCut, isBinary, before, after }: FoundLine,
): SearchHit {
  const hit: SearchHit = { pack, created, ...place, line, column, text: shown, match };
  if (step?.tool !== undefined) hit.tool = step.tool;
  if ("content" in text) hit.ref = text.content;
  if (isCut === true) hit.cut = true;
  if (isBinary === true) hit.binary = true;
  if (before !== undefined) hit.before = before;
  if (after !== undefined) hit.after = after;
  return hit;
}
