// What a search has before it: packs, the runs that they are, and the waves in which runs are searched.
import type { HistoryEntry } from "../store/catalog.js";
import type { ScanOutcome } from "./scan-contents.js";
import type { TaskResult } from "./search-task.js";

/** A pack that is to be searched. */
export interface PlannedPack {
  entry: HistoryEntry;
  /** The contents that are searched. */
  contents: readonly string[];
  /** Whether its parameters may match; undefined if that is to be found out. */
  hasParameters: boolean | undefined;
}

export interface PlannedRun {
  main: HistoryEntry;
  packs: PlannedPack[];
}

/** Runs that are searched together. */
export interface BegunWave {
  runs: readonly PlannedRun[];
  /** The contents that are searched, also as a list. */
  contents: ReadonlySet<string>;
  list: readonly string[];
  /** The wave before, whose contents are not searched again. */
  former: BegunWave | undefined;
  /** Whether other threads have begun. */
  isShared: boolean;
  finish: () => TaskResult;
  /** What was found in these contents. */
  outcomes?: ReadonlyMap<string, ScanOutcome>;
}
