// Results of `ctx log` and `ctx tag`, part of the JSON contract: fields are only ever added.
import type { Reference } from "../base/digest.js";
import type { Origin } from "../model/origin.js";
import type { UtcTime } from "../model/times.js";
import type { TagName } from "./results.js";

/**
 * What `ctx tag --json` prints: the tag that was changed, or a line for each tag.
 * @title ctx tag
 */
export interface TagResult {
  name: TagName;
  /** Null if the tag's file is damaged. */
  hash: Reference | null;
  /** What was done with the tag; absent in a list. */
  change?: "created" | "moved" | "removed";
  /** Whether the pack is in this store. */
  present: boolean;
  /** When the run took place, and its model, if the pack can be read. */
  created?: UtcTime;
  model?: string;
  /** The title of the pack, if it has one. */
  title?: string;
}

/**
 * What `ctx tag --title --json` prints.
 * @title ctx tag --title
 */
export interface TitleResult {
  hash: Reference;
  /** The title that lists show now: the new one; after a removal the one that the run's prompts give it. */
  title: string | null;
  /** `unchanged`: there was no title to remove. */
  change: "set" | "removed" | "unchanged";
}

/**
 * A line of `ctx log --json`: one for each pack.
 * @title ctx log
 */
export interface LogEntry {
  hash: Reference;
  /** Null, like model and steps, if the pack is damaged or was written by a newer ctx. */
  created: UtcTime | null;
  model: string | null;
  steps: number | null;
  /**
   * What distinguishes the run from others: the title that the user set; else the first telling line of the
   * first prompt that a person wrote; else the first tool and its file; else the first line of the answer.
   * Null if there is none of them.
   */
  title: string | null;
  /** Set if the log has no time at all: `created` is when it was packed. */
  untimed?: true;
  /** The number of prompts; missing, like the counts below, if the pack cannot be read. */
  prompts?: number;
  /** The number of calls that failed, by the log's own account, without those that were denied. */
  failed?: number;
  /** The number of calls that were denied: by a person, or by a rule. Missing if there are none. */
  denied?: number;
  /** The time from the first step to the last, if the log has times. */
  duration_ms?: number;
  /** Input and output tokens together, without those read from a cache, if the log counts them. */
  tokens?: number;
  /** The number of runs of sub-agents that it started. */
  subruns?: number;
  parent?: Reference;
  /** Set if the parent is not in this store. */
  parent_absent?: true;
  /**
   * The id of the session whose log recorded the run; for the run of a sub-agent, followed by `/<sub-agent>`.
   */
  session?: string;
  /** The id of the sub-agent. */
  subagent?: string;
  /** The folder that the run worked in, if its log has it. */
  project?: string;
  /** The agent that ran, and the format of its log. */
  agent?: string;
  format?: string;
  /**
   * The version of the session, where 1 is the oldest, and the number of versions in the store, listed or
   * not.
   */
  version?: number;
  versions?: number;
  tags: TagName[];
  damaged: boolean;
  /** Set if a newer ctx wrote the pack in a version of the format that this one cannot read. */
  newer?: true;
  /** The origin of a pack that no agent ran. `draft`: edited by hand, never executed. */
  origin?: Origin["kind"];
  /** Set for a replay whose steps come from a draft. */
  of_draft?: true;
}

export interface LogResult {
  entries: LogEntry[];
  /** The number of packs in the store, listed or not. */
  total: number;
  /** Every damaged pack in the store, listed or not, and what is wrong with it. */
  damaged: { hash: Reference; message: string }[];
  /** Every pack in the store that a newer ctx wrote, listed or not. */
  newer: { hash: Reference; message: string }[];
  /** Tags that name no pack of this store, and why. */
  lost_tags: LostTag[];
}

export interface LostTag {
  name: string;
  message: string;
}
