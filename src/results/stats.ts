// The result of `ctx stats`, part of the JSON contract: fields are only ever added.
import type { Reference } from "../base/digest.js";

/** What runs are counted by. */
export type StatsGroup = "day" | "week" | "model" | "agent" | "tool" | "project";

/** A sum of money; a fraction, not a count. */
export type MoneyAmount = number;

/**
 * What `ctx stats --json` prints.
 * @title ctx stats
 */
export interface StatsResult {
  /** What the rows are by; missing if there are none. */
  by?: StatsGroup;
  /** In order of time, or the most tokens first, or steps where no log counts tokens. */
  rows: StatsRow[];
  /** All runs that were counted, each once; by tool, their calls. */
  total: StatsCounts;
  /** Packs that were not counted because a newer version of their session was. */
  older_versions: number;
  /** Packs that cannot be read, and were not counted. */
  unreadable: Reference[];
  /** The number of packs in the store. */
  packs: number;
}

export interface StatsRow extends StatsCounts {
  /**
   * The day (`2026-02-10`), the Monday of the week, or the name. Null for runs whose log does not say it; by model, for
   * what the log of a run with several models does not tell apart.
   */
  key: string | null;
}

export interface StatsCounts {
  /** Runs; those of sub-agents are part of the run that started them. By model or tool, runs that used it. */
  runs: number;
  /** Runs of sub-agents that were counted as parts of others. */
  subruns: number;
  /** By tool: its calls. */
  steps: number;
  /** Calls that failed, by the log's own account, without those that were denied. */
  failed: number;
  denied: number;
  /** Missing if no log counts them, and by tool. */
  tokens?: StatsTokens;
  /** For each currency; missing if no log states it, and by tool. */
  cost?: StatsCost[];
  /** The time from the first step of each run to its last; missing if no log has times, and by tool. */
  duration_ms?: number;
}

/** Tokens as the logs count them: with some agents `input` includes those read from a cache, with others not. */
export interface StatsTokens {
  input: number;
  output: number;
  cache_read: number;
  cache_creation: number;
  reasoning: number;
  /** The number of packs whose log counts tokens. */
  packs: number;
}

export interface StatsCost {
  /** The three letters of ISO 4217. */
  currency: string;
  amount: MoneyAmount;
  /** The number of packs whose log states a cost in this currency. */
  packs: number;
}
