// Results of most verbs: the JSON contract. Fields are only ever added, and every number is a count.
import type { Reference } from "../base/digest.js";
import type { Problem } from "../base/errors.js";
import type { ProgramInfo } from "../model/config.js";
import type { Origin } from "../model/origin.js";
import type { Redactions, RuleCounts } from "../model/redactions.js";
import type { UtcTime } from "../model/times.js";

/**
 * The address of a pack: `ctx://` and its hash.
 * @pattern ^ctx://[0-9a-f]{64}$
 */
export type PackUri = string;

/**
 * The name of a tag.
 * @pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$
 */
export type TagName = string;

/**
 * What `ctx init --json` prints.
 * @title ctx init
 */
export interface InitResult {
  /** The .ctx folder. */
  store: string;
  /** False when there was one already. */
  created: boolean;
  /** Whether it is one that a team commits, and not its owner's alone. */
  shared: boolean;
  /** The repository's info/exclude, which has a line for the new store, besides the store's own .gitignore. */
  excluded?: string;
  /** What a person should know, one line each. */
  notices: string[];
}

/**
 * A line of `ctx pack --json`: one for each log.
 * @title ctx pack
 */
export interface PackResult {
  uri: PackUri;
  hash: Reference;
  created: UtcTime;
  /** False when the store held this pack already. */
  new: boolean;
  parent?: Reference;
  /** The log as it was named: a path, or `-`. */
  source: string;
  counts: { prompts: number; inputs: number; steps: number; outputs: number };
  bytes_new: number;
  bytes_shared: number;
  /** Sidecars that stand beside artifacts and name a pack that backs them. */
  sidecars: string[];
  /** Outputs that lie nowhere on disk with the recorded content. */
  outputs_absent: string[];
  /** Objects that were found damaged and replaced by the right bytes. */
  repaired: Reference[];
  /** Secrets that were masked, by rule and place; as `metadata.redactions` has them. */
  redactions?: Redactions;
  /** How often each rule of a store's config that is not trusted masked something. */
  untrusted_rules?: RuleCounts;
  /** How many contents are no text: only tokens with a form of their own were looked for in them. */
  unsearched?: number;
  /** The format that a foreign log was read as. */
  format?: string;
  /** Runs that this one started, each a pack of its own. */
  packs?: {
    uri: PackUri;
    hash: Reference;
    new: boolean;
    /** The agent's own id. */
    agent: string;
    /** The step that started it, where the log says which. */
    step?: number;
    redactions?: Redactions;
  }[];
  /** What a person should know, one line each. */
  notices: string[];
}

/**
 * What `ctx fork --json` prints, without --seal.
 * @title ctx fork
 */
export interface ForkResult {
  /** The folder. */
  draft: string;
  parent: Reference;
  /** What a person should know, one line each. */
  notices: string[];
}

/** One draft, as `ctx status` sees it. */
export interface DraftStatus {
  /** The folder. */
  draft: string;
  /**
   * `unfinished`: it cannot be sealed, and `problems` say why. `sealed`: just this is a pack already. `unknown`: it can be
   * sealed, but its parent is not here, or cannot be read.
   */
  state: "unedited" | "edited" | "sealed" | "unfinished" | "unknown";
  /** The pack that it was made from; null when it says none. */
  parent: Reference | null;
  parent_present: boolean;
  /** When it was made. */
  created: UtcTime | null;
  /** The pack that it is, or would be; null while it is unfinished. */
  hash: Reference | null;
  /** How it differs from its parent, one line each. */
  changes: string[];
  problems: Problem[];
}

/**
 * What `ctx status --json` prints.
 * @title ctx status
 */
export interface StatusResult {
  drafts: DraftStatus[];
}

/**
 * What `ctx trust --json` prints.
 * @title ctx trust
 */
export interface TrustResult {
  /** The .ctx folder. */
  store: string;
  /** What is trusted: the hash of the store's path and its config. */
  content: Reference;
  trusted: boolean;
  changed: boolean;
  /** What the config names. */
  adapters: ({ tool: string } & ProgramInfo)[];
  servers: ({ server: string } & ProgramInfo)[];
  normalisers: { name: string; pattern: string; replace: string }[];
  /** What it would leave unmasked. */
  unmasked: string[];
  /** The files of the repository that are trusted with it, as they are; a hash is null where there was no file. */
  files?: { path: string; hash: Reference | null }[];
  /** Why it is not trusted, with `--list`. */
  why?: string;
}

/**
 * What `ctx tag --json` prints: the tag that was changed, or a line for each tag.
 * @title ctx tag
 */
export interface TagResult {
  name: TagName;
  /** Null when the tag's file is damaged. */
  hash: Reference | null;
  /** What was done; absent in a list. */
  change?: "created" | "moved" | "removed";
  /** Whether the pack is in this store. */
  present: boolean;
  /** Of the pack, where it can be read. */
  created?: UtcTime;
  model?: string;
}

/**
 * A line of `ctx log --json`: one for each pack.
 * @title ctx log
 */
export interface LogEntry {
  hash: Reference;
  /** Null, like model and steps, when the pack is damaged or was written by a newer ctx. */
  created: UtcTime | null;
  model: string | null;
  steps: number | null;
  parent?: Reference;
  /** The parent is not in this store. */
  parent_absent?: true;
  /** The session whose log the run was taken from; for a sub-agent's run its id and `/<sub-agent>`. */
  session?: string;
  /** The sub-agent alone. */
  subagent?: string;
  /** The folder that the run worked in, where its log says it. */
  project?: string;
  /** The agent that did it, and the format of the log that it was taken from. */
  agent?: string;
  format?: string;
  /** Which version of the session it is, the oldest being 1, and how many the store has, listed or not. */
  version?: number;
  versions?: number;
  tags: TagName[];
  damaged: boolean;
  /** A newer ctx wrote it, in a version of the format that this one cannot read. */
  newer?: true;
  /** How the pack came about, when it was not recorded from a run. `draft`: edited by hand, never executed. */
  origin?: Origin["kind"];
  /** A replay whose steps come from a draft. */
  of_draft?: true;
}

export interface LogResult {
  entries: LogEntry[];
  /** All packs in the store, listed or not. */
  total: number;
  /** Every damaged pack in the store, listed or not, and what is wrong with it. */
  damaged: { hash: Reference; message: string }[];
  /** Every pack in the store that a newer ctx wrote, listed or not. */
  newer: { hash: Reference; message: string }[];
  /** Tags that lead to no pack of this store, and why. */
  lost_tags: LostTag[];
}

export interface LostTag {
  name: string;
  message: string;
}

/**
 * What `ctx sidecar --json` prints.
 * @title ctx sidecar
 */
export interface SidecarResult {
  /** Where it lies, from the folder that holds the store. */
  sidecar: string;
  pack: Reference;
  /** The recorded output that the file is. */
  output: string;
  /** False when it stood there just so. */
  changed: boolean;
}

/**
 * What `ctx gc --json` prints.
 * @title ctx gc
 */
export interface GcResult {
  /** What was removed, or would be. */
  removed: { hash: Reference; size: number }[];
  bytes: number;
  /** What nothing reaches either, but is too young. */
  young: { objects: number; bytes: number };
  /** Abandoned partial downloads: removed, or to be removed. */
  downloads: { files: number; bytes: number };
  /** How many packs of a newer ctx the store has. While it has any, no object is removed: what they need is not known. */
  newer?: number;
  dry_run: boolean;
}

/**
 * What `ctx rm --json` prints.
 * @title ctx rm
 */
export interface RmResult {
  removed: Reference[];
  /** Packs that were made from them, and stay. */
  children: Reference[];
  /** Packs whose steps name one of them as the run of a sub-agent, and that stay. */
  callers?: Reference[];
  /** Tags that went with them. */
  tags: string[];
  /** What `ctx gc` will free now; null when a damaged pack makes that unknown. */
  frees: { objects: number; bytes: number } | null;
}

export interface DoctorCheck {
  name: string;
  /** `lacks`: works, but something would be better. */
  status: "ok" | "lacks" | "bad";
  found: string;
  advice?: string;
}

/** Its owner's alone, or one that a team commits. */
export type StoreKind = "private" | "shared";

/**
 * What `ctx doctor --json` prints.
 * @title ctx doctor
 */
export interface DoctorResult {
  healthy: boolean;
  checks: DoctorCheck[];
  /** What was put right, a line each; absent unless that was asked for. */
  fixed?: string[];
}

/**
 * What `ctx completion --json` prints.
 * @title ctx completion
 */
export interface CompletionResult {
  shell: string;
  script: string;
}
