// Results of the verbs that find, read and export agents' logs. They are part of the JSON contract.
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
  /**
   * What `ctx show` takes for it, whole or its first 6 or more characters: the session's id, or what its path
   * has in place of one.
   */
  id: string;
  /**
   * The first line of the first prompt that a person wrote, with secrets masked; null if the beginning of the
   * log has none.
   */
  title: string | null;
  agent: string;
  /** The path of its log. */
  path: string;
  /** The folder that it worked in, its model and its id, if the beginning of the log has them. */
  project: string | null;
  model: string | null;
  session: string | null;
  /** When the log was last modified. */
  modified: UtcTime;
  size: number;
  /**
   * `grown`: packed, and the log has changed since. `removed`: packed in its present state, and the pack was
   * removed since. `empty`: the log contains no run. `refused`: the log cannot be packed in its present
   * state; `problem` says why.
   */
  state: "new" | "packed" | "grown" | "removed" | "empty" | "refused";
  packs: Reference[];
  problem?: string;
}

export interface DiscoverResult {
  /** Newest first. */
  sessions: FoundSession[];
  /** The folders that were searched. */
  folders: string[];
  /** Paths that could not be read, and why. */
  unreadable: { path: string; why: string }[];
}

/** The summary of `ctx pack --discover`. */
export interface PackDiscoveredResult {
  /** The number of sessions that were packed, and of new packs among theirs. */
  packed: number;
  packs_new: number;
  /** The number of sessions that had been packed in their present state. */
  before: number;
  /** The number of sessions whose packs were removed since. */
  removed: number;
  /** The number of sessions that contain no run. */
  empty: number;
  /** The number of sessions that could not be packed; each error was reported. */
  failed: number;
  /** The number of sessions that could not be packed earlier, and have not changed since. */
  refused: number;
}

/** What `ctx hook --json` prints: the hook that was changed, or a line for each hook.
 * @title ctx hook
 */
export interface HookResult {
  hook: string;
  /** The settings file or script that contains the hook. */
  file: string;
  /** What was done, or would be done with `dry_run`; `present` and `absent` mean that nothing changed. */
  change: "installed" | "removed" | "present" | "absent";
  dry_run?: true;
  /** The lines that change, with a few unchanged lines around them. */
  lines: { kind: "same" | "added" | "removed"; text: string }[];
  /** What else the user has to do, one line each. */
  advice: string[];
  /** The last session that the hook was called for. */
  last?: HookRun;
}

/** One session that a hook was called for. */
export interface HookRun {
  time: UtcTime;
  hook: string;
  /** The path of the session's log, if the agent passed it. */
  log?: string;
  /** The packs of its runs. */
  packs: Reference[];
  /** Why there are no packs. */
  problem?: string;
  /** A message to the user about a session that was sealed. */
  notice?: string;
}

/**
 * What `ctx export --as --json` prints: the log, and what was lost.
 * @title ctx export --as
 */
export interface ExportAsResult {
  pack: Reference;
  as: string;
  /** What the format cannot express, and how many of each there were. */
  lost: { what: string; count: number }[];
  /** The log; absent if it was written to a file. */
  log?: JsonObject;
  /** The file that has the log. */
  file?: string;
}
