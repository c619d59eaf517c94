// Results of the verbs that share packs.
import type { Reference } from "../base/digest.js";
import type { UtcTime } from "../model/times.js";
import type { PackUri } from "./results.js";

/** Why a pack goes along: it was named, or another one that goes needs it to be whole. */
export type Why = "asked" | "parent" | "subagent";

/** A pack that leaves, and what is in it. */
export interface LeavingPack {
  hash: Reference;
  why: Why;
  created: UtcTime;
  model: string;
  steps: number;
  prompts: number;
  /** The names of its inputs and outputs. */
  files: string[];
  /** Of all its contents, each counted once. */
  bytes: number;
  /** How many contents are no text: only tokens with a form of their own were looked for in them. */
  unsearched?: number;
}

/** What packs that leave tell about the person and the machine. Lists are bounded: `more` counts the values that are left out. */
export interface Personal {
  /** Home folders, and how many texts and contents hold a path below each. */
  homes: { path: string; places: number }[];
  /** User names, as home folders have them. */
  users: string[];
  /** Folders that runs worked in. */
  folders: string[];
  branches: string[];
  more: number;
}

/** A pack that one of these names, and that is not here. */
export interface AbsentPack {
  hash: Reference;
  why: "parent" | "subagent";
  of: Reference;
}

/**
 * What `ctx export --json` prints.
 * @title ctx export
 */
export interface ExportResult {
  /** The file; `-` for standard output. */
  file: string;
  bytes: number;
  packs: LeavingPack[];
  absent: AbsentPack[];
  /** Not there where the packs tell nothing of the kind. */
  personal?: Personal;
  dry_run?: true;
}

/** A pack that came in. */
export interface ArrivedPack {
  hash: Reference;
  uri: PackUri;
  /** False when it was here already. */
  new: boolean;
  created: UtcTime;
  model: string;
  steps: number;
  bytes_new: number;
  bytes_shared: number;
  /** What was damaged here and is whole again. */
  repaired?: Reference[];
}

/**
 * What `ctx import --json` prints.
 * @title ctx import
 */
export interface ImportResult {
  /** What it came from: a file, `-`, or an address. */
  from: string;
  packs: ArrivedPack[];
  absent: AbsentPack[];
  /** What else a person should know. */
  notices: string[];
}

/**
 * What `ctx push --json` prints.
 * @title ctx push
 */
export interface PushResult {
  to: string;
  packs: (LeavingPack & {
    /** The hash of its OCI manifest. */
    digest: Reference;
    /** The names that it has there now. */
    tags: string[];
    /** False when it was there already. */
    new: boolean;
  })[];
  absent: AbsentPack[];
  sent: Traffic;
  /** What was there already. */
  present: Traffic;
  /** Not there where the packs tell nothing of the kind. */
  personal?: Personal;
  dry_run?: true;
}

/**
 * What `ctx pull --json` prints.
 * @title ctx pull
 */
export interface PullResult extends ImportResult {
  received: Traffic;
  /** How many bytes of that an earlier try had brought. */
  resumed: number;
}

export interface Traffic {
  blobs: number;
  bytes: number;
}

/** A pack in a registry, as the registry tells it. */
export interface RemotePack {
  hash: Reference;
  digest: Reference;
  tags: string[];
  /** Of all its layers. */
  bytes: number;
  created?: UtcTime;
  model?: string;
  steps?: number;
  /** Whether it is in this store; not there where there is no store. */
  here?: boolean;
}

/**
 * What `ctx ls --json` prints.
 * @title ctx ls
 */
export interface LsResult {
  at: string;
  packs: RemotePack[];
  /** Tags that name something else. */
  others: string[];
}

export interface Remote {
  name: string;
  url: string;
  plain_http?: true;
}

/**
 * What `ctx remote --json` prints.
 * @title ctx remote
 */
export interface RemoteResult {
  remotes: Remote[];
}
