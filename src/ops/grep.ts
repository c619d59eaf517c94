// `ctx grep`: the lines of runs that match a pattern. Exact: every line that matches, or an error.
import { CtxError } from "../base/errors.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { FoundRun, SearchSummary } from "../results/search.js";
import { buildIndex } from "../search/build-index.js";
import { unindexedPacks } from "../search/indexed-packs.js";
import { pathPattern } from "../search/path-pattern.js";
import { runParts, type SearchedPart } from "../search/run-texts.js";
import { searchRuns } from "../search/search-runs.js";
import { type OnPackRead, withCatalog } from "../store/catalog.js";
import { resolvePack } from "../store/resolve.js";
import { type RunFilter, runFilter } from "../store/run-filter.js";
import type { Store } from "../store/store.js";
import { filesUsed } from "../tools/files-used.js";

export type { SearchedPart } from "../search/run-texts.js";

export interface GrepOptions extends RunFilter {
  /** More patterns: a line that matches one of them is a hit. */
  or?: readonly string[];
  /** The patterns are texts, not regular expressions. */
  fixed?: boolean;
  /** Ignore the case of ASCII letters. */
  ignoreCase?: boolean;
  /** Match whole words only. */
  word?: boolean;
  /** The packs to search; without it all that the filters select. */
  packs?: readonly string[];
  /** The parts of a run to search; without it all but the system prompt. */
  in?: readonly SearchedPart[];
  /** Only steps of this tool. */
  stepTool?: string;
  /** Only these steps; both ends belong to a range. */
  steps?: readonly { from: number; to?: number }[];
  /** Only steps that name a path like this. */
  path?: string;
  /** Lines before and after each hit. */
  context?: number;
  /** The most hits for each run. */
  maxHits?: number;
  /** The most runs with hits. */
  maxRuns?: number;
  /** Search the oldest run first, and stop at the first hit. */
  first?: boolean;
  /** `fold`: a sub-agent's hits count for the run that started it; `list`: as runs of their own; `skip`: not at all. */
  subagents?: "fold" | "list" | "skip";
  /** Search the steps that called ctx itself, too. */
  echoes?: boolean;
  /** Search every content, whatever the index says. */
  noIndex?: boolean;
  /** Called while all packs are read, as for the first list of a store. */
  progress?: OnPackRead;
  /** Called at the end of a search with an index: how many packs it knows, and how many there are. */
  onIndexed?: (indexed: number, total: number) => void;
}

const usualParts: readonly SearchedPart[] = runParts.filter((part) => part !== "system");

/** Searches runs, newest first; calls `onRun` for each run with hits. */
export function grep(
  store: Store,
  pattern: string,
  options: GrepOptions & { onRun: (run: FoundRun) => void },
): SearchSummary {
  const { first = false, subagents = "fold" } = options;
  const parts = partsOf(options.in);
  const fits = runFilter(store, options);
  const packs = options.packs?.map((name) => resolvePack(store, name));
  return withCatalog(
    store,
    (catalog) =>
      searchRuns(
        store,
        { catalog, packs },
        {
          pattern: {
            patterns: [pattern, ...(options.or ?? [])],
            isFixed: options.fixed === true,
            ignoreCase: options.ignoreCase === true,
            isWord: options.word === true,
          },
          parts,
          isStep: stepFilter(options),
          fits: (entry) => {
            const isSub = !("damage" in entry.content) && entry.content.subagent !== undefined;
            return !(isSub && subagents === "skip") && fits(entry);
          },
          foldsSubagents: subagents === "fold",
          withEchoes: options.echoes === true,
          useIndex: options.noIndex !== true,
          context: options.context ?? 0,
          maxHits: first ? 1 : (options.maxHits ?? Number.POSITIVE_INFINITY),
          maxRuns: first ? 1 : (options.maxRuns ?? Number.POSITIVE_INFINITY),
          oldestFirst: first,
          onRun: options.onRun,
          onIndexed: options.onIndexed,
        },
      ),
    options.progress,
  );
}

/** Adds to the index what it lacks: now if that is little, so that the next search need not read it. */
export { buildIndex, unindexedPacks };

function partsOf(named: GrepOptions["in"]): ReadonlySet<SearchedPart> {
  if (named === undefined) return new Set(usualParts);
  const unknown = named.find((part) => !runParts.includes(part));
  if (unknown !== undefined)
    throw new CtxError("usage", `--in knows no part "${unknown}"`, {
      hint: `the parts of a run are ${runParts.join(", ")}`,
    });
  if (named.length === 0) throw new CtxError("usage", "--in needs the name of a part");
  return new Set(named);
}

/** Returns a predicate for steps; undefined if no option asks for certain steps. */
function stepFilter(options: GrepOptions): ((step: Step, manifest: Manifest) => boolean) | undefined {
  const { stepTool, steps, path } = options;
  if (stepTool === undefined && steps === undefined && path === undefined) return undefined;
  const isPath = path === undefined ? undefined : pathPattern(path);
  return (step, manifest) => {
    if (stepTool !== undefined && step.tool !== stepTool) return false;
    if (steps?.some(({ from, to = step.index }) => step.index >= from && step.index <= to) === false)
      return false;
    return isPath === undefined || names(step, manifest, isPath);
  };
}

function names(step: Step, manifest: Manifest, isPath: (path: string, workdir?: string) => boolean): boolean {
  const { read, written, deleted } = filesUsed(step, manifest);
  const workdir = manifest.metadata?.["workdir"];
  const folder = typeof workdir === "string" ? workdir : undefined;
  return [...read, ...written, ...deleted].some((path) => isPath(path, folder));
}
