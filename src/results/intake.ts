// Results of the verbs that find, read and export agents' logs: part of the JSON contract.
import type { Reference } from "../base/digest.js";
import type { JsonObject } from "../base/json/value.js";
import type { UtcTime } from "../model/times.js";

/**
 * A line of `ctx pack --from list --json`: one format.
 * @title ctx pack --from list
 */
export interface FormatResult {
  name: string;
  title: string;
  /** Where such logs come from. */
  from: string;
}

/**
 * A line of `ctx discover --json`: one session of an agent.
 * @title ctx discover
 */
export interface FoundSession {
  agent: string;
  /** Its log. */
  path: string;
  /** The folder that it worked in, the model and its id, where the beginning of the log says them. */
  project: string | null;
  model: string | null;
  session: string | null;
  /** When its log last changed. */
  modified: UtcTime;
  size: number;
  /**
   * `changed`: packed, and the log has changed since. `removed`: packed as it is now, and the pack was taken away since.
   * `empty`: nothing happened in it. `refused`: it cannot be packed as it is, and `problem` says why.
   */
  state: "new" | "packed" | "changed" | "removed" | "empty" | "refused";
  packs: Reference[];
  problem?: string;
}

export interface DiscoverResult {
  /** Newest first. */
  sessions: FoundSession[];
  /** The folders that were looked into. */
  folders: string[];
  /** What could not be looked at, and why. */
  unreadable: { path: string; why: string }[];
}

/** What `ctx pack --discover` did, at the end. */
export interface PackDiscoveredResult {
  /** Sessions whose runs are packs now, and how many of these are new. */
  packed: number;
  packs_new: number;
  /** Sessions that were packed before, as they are now. */
  before: number;
  /** Sessions whose packs were removed since. */
  removed: number;
  /** Sessions in which nothing happened. */
  empty: number;
  /** Sessions that could not be packed; the errors were told one by one. */
  failed: number;
  /** Sessions that could not be packed before, and are as they were then. */
  refused: number;
}

/**
 * What `ctx hook --json` prints: the hook that was changed, or a line for each.
 * @title ctx hook
 */
export interface HookResult {
  hook: string;
  /** Where it is written down. */
  file: string;
  /** What was done, or would be with `dry_run`; `present` and `absent`: how it is. */
  change: "installed" | "removed" | "present" | "absent";
  dry_run?: true;
  /** The lines that change, with some around them. */
  lines: { kind: "same" | "added" | "removed"; text: string }[];
  /** What else has to be done, one line each. */
  advice: string[];
  /** What became of the session that it sealed last. */
  last?: HookRun;
}

/** What became of one session that a hook was called for. */
export interface HookRun {
  time: UtcTime;
  hook: string;
  /** The session's log, where the agent named it. */
  log?: string;
  /** The packs that its runs are now. */
  packs: Reference[];
  /** Why there are none. */
  problem?: string;
  /** What the user should know, though the session was sealed. */
  notice?: string;
}

/**
 * What `ctx export-log --json` prints: the log, and what did not survive.
 * @title ctx export-log
 */
export interface ExportLogResult {
  pack: Reference;
  to: string;
  /** What the format has no place for, and how often. */
  lost: { what: string; count: number }[];
  log: JsonObject;
}
