// Results of most verbs, part of the JSON contract: fields are only ever added, and numbers are counts.
import type { Reference } from "../base/digest.js";
import type { Problem } from "../base/errors.js";
import type { ProgramInfo } from "../model/config.js";
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
  /** False if there was a store already. */
  created: boolean;
  /** Whether the store is one that a team commits, as opposed to a private one. */
  shared: boolean;
  /** The repository's info/exclude, if a line for the new store was added to it. */
  excluded?: string;
  /** Messages to the user, one line each. */
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
  /** False if the store contained this pack already. */
  new: boolean;
  parent?: Reference;
  /** The log as named by the caller: a path, or `-`. */
  source: string;
  counts: { prompts: number; inputs: number; steps: number; outputs: number };
  bytes_new: number;
  bytes_shared: number;
  /** The paths of sidecars that are beside artifacts and name a pack that contains them. */
  sidecars: string[];
  /** Outputs that are not on disk with the recorded content. */
  outputs_absent: string[];
  /** Objects that were damaged and have been replaced by the correct bytes. */
  repaired: Reference[];
  /** The secrets that were masked, by rule and location; the same as `metadata.redactions`. */
  redactions?: Redactions;
  /** For each rule of an untrusted store config, the number of masks that it made. */
  untrusted_rules?: RuleCounts;
  /**
   * The number of contents that are not text; they were searched only for tokens with a recognisable form.
   */
  unsearched?: number;
  /** The format of the log, if it is not ctx's own. */
  format?: string;
  /** The runs that this one started, each a pack of its own. */
  packs?: {
    uri: PackUri;
    hash: Reference;
    new: boolean;
    /** The id of the sub-agent. */
    agent: string;
    /** The step that started it, if the log names one. */
    step?: number;
    redactions?: Redactions;
  }[];
  /** Messages to the user, one line each. */
  notices: string[];
}

/**
 * What `ctx fork --json` prints, without --seal.
 * @title ctx fork
 */
export interface ForkResult {
  /** The folder of the draft. */
  draft: string;
  parent: Reference;
  /** The title of the parent. */
  title: string | null;
  /** Messages to the user, one line each. */
  notices: string[];
}

/** The state of one draft. */
export interface DraftStatus {
  /** The folder of the draft. */
  draft: string;
  /**
   * `unfinished`: it cannot be sealed; `problems` says why. `sealed`: a pack with exactly this content
   * exists. `unknown`: it can be sealed, but its parent is not in the store, or cannot be read.
   */
  state: "unedited" | "edited" | "sealed" | "unfinished" | "unknown";
  /** The pack that it was forked from; null if it names none. */
  parent: Reference | null;
  parent_present: boolean;
  /** The title of that pack; null if it has none, or is not in the store. */
  title: string | null;
  /** When it was forked. */
  created: UtcTime | null;
  /** The pack that it is sealed as, or would be; null while it is unfinished. */
  hash: Reference | null;
  /** The differences from its parent, one line each. */
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
  /** The hash of the store's path and config, which is what the user trusts. */
  content: Reference;
  trusted: boolean;
  changed: boolean;
  /** The programs that the config names. */
  adapters: ({ tool: string } & ProgramInfo)[];
  servers: ({ server: string } & ProgramInfo)[];
  normalisers: { name: string; pattern: string; replace: string }[];
  /** The secrets that the config leaves unmasked. */
  unmasked: string[];
  /** The files of the repository that are trusted with it; the hash of a missing file is null. */
  files?: { path: string; hash: Reference | null }[];
  /** With `--list`, why it is not trusted. */
  why?: string;
}

/** A sidecar that `ctx verify --write-sidecar` wrote. */
export interface SidecarResult {
  /** The path of the sidecar, relative to the folder that contains the store. */
  sidecar: string;
  pack: Reference;
  /** The name of the recorded output whose bytes the file has. */
  output: string;
  /** False if the sidecar existed with the same content. */
  changed: boolean;
}

/**
 * What `ctx gc --json` prints.
 * @title ctx gc
 */
export interface GcResult {
  /** The objects that were removed, or would be. */
  removed: { hash: Reference; size: number }[];
  bytes: number;
  /** Unreachable objects that are too young to be removed. */
  young: { objects: number; bytes: number };
  /** Abandoned partial downloads that were removed, or would be. */
  downloads: { files: number; bytes: number };
  /**
   * The number of packs of a newer ctx. While there are any, no object is removed, since they may need it.
   */
  newer?: number;
  dry_run: boolean;
}

/**
 * What `ctx rm --json` prints.
 * @title ctx rm
 */
export interface RmResult {
  removed: Reference[];
  /** Packs that were derived from them, and stay. */
  children: Reference[];
  /** Packs with a step that names one of them as the run of a sub-agent, and stay. */
  callers?: Reference[];
  /** Tags that were removed with them. */
  tags: string[];
  /** What `ctx gc` can now free; null if a damaged pack makes that unknown. */
  frees: { objects: number; bytes: number } | null;
}

export interface DoctorCheck {
  name: string;
  /** `lacks`: works, but something optional is missing. */
  status: "ok" | "lacks" | "bad";
  found: string;
  advice?: string;
}

/** Whether a store is private, or one that a team commits. */
export type StoreKind = "private" | "shared";

/**
 * What `ctx doctor --json` prints.
 * @title ctx doctor
 */
export interface DoctorResult {
  healthy: boolean;
  checks: DoctorCheck[];
  /** What was repaired, one line each; absent without --fix. */
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
