// Results of the verbs that share packs.
import type { Reference } from "../base/digest.js";
import type { UtcTime } from "../model/times.js";
import type { PackUri } from "./results.js";

/** Why a pack is sent: it was named, or it is the parent or a sub-agent's run of one that is sent. */
export type Why = "asked" | "parent" | "subagent";

/** A pack that leaves the store, and what it contains. */
export interface LeavingPack {
  hash: Reference;
  title: string | null;
  why: Why;
  created: UtcTime;
  model: string;
  steps: number;
  prompts: number;
  /** The names of its inputs and outputs. */
  files: string[];
  /** The size of all its contents, each counted once. */
  bytes: number;
  /**
   * The number of contents that are not text; they were searched only for tokens with a recognisable form.
   */
  unsearched?: number;
}

/**
 * What outgoing packs reveal about the user and the machine. Lists are limited; `more` counts the omitted
 * values.
 */
export interface Personal {
  /** Home folders, and the number of texts and contents that contain a path below each. */
  homes: { path: string; places: number }[];
  /** User names, from the names of home folders. */
  users: string[];
  /** Folders that runs worked in. */
  folders: string[];
  branches: string[];
  more: number;
}

/** A pack that one of these packs names, and that is not in the store. */
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
  /** The path of the file; `-` for standard output. */
  file: string;
  bytes: number;
  packs: LeavingPack[];
  absent: AbsentPack[];
  /** Absent if the packs reveal none of it. */
  personal?: Personal;
  dry_run?: true;
}

/** A pack that was imported. */
export interface ArrivedPack {
  hash: Reference;
  uri: PackUri;
  title: string | null;
  /** False if it was in the store already. */
  new: boolean;
  created: UtcTime;
  model: string;
  steps: number;
  bytes_new: number;
  bytes_shared: number;
  /** Objects that were damaged in the store and have been repaired. */
  repaired?: Reference[];
}

/**
 * What `ctx import --json` prints.
 * @title ctx import
 */
export interface ImportResult {
  /** The source: a file, `-`, or the address of a repository. */
  from: string;
  packs: ArrivedPack[];
  absent: AbsentPack[];
  /** Messages to the user, one line each. */
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
    /** Its tags in the registry. */
    tags: string[];
    /** False if it was in the registry already. */
    new: boolean;
  })[];
  absent: AbsentPack[];
  sent: Traffic;
  /** Blobs that were in the registry already. */
  present: Traffic;
  /** Absent if the packs reveal none of it. */
  personal?: Personal;
  dry_run?: true;
}

/**
 * What `ctx pull --json` prints.
 * @title ctx pull
 */
export interface PullResult extends ImportResult {
  received: Traffic;
  /** The number of bytes among these that an earlier attempt had received. */
  resumed: number;
}

export interface Traffic {
  blobs: number;
  bytes: number;
}

/** A pack in a registry, as the registry describes it. */
export interface RemotePack {
  hash: Reference;
  digest: Reference;
  tags: string[];
  /** The size of all its layers. */
  bytes: number;
  /** The title that the registry claims; of a pack that is in this store, its title here. */
  title: string | null;
  created?: UtcTime;
  model?: string;
  steps?: number;
  /** Whether it is in this store; absent if there is no store. */
  here?: boolean;
}

/**
 * What `ctx remote ls --json` prints.
 * @title ctx remote ls
 */
export interface LsResult {
  at: string;
  packs: RemotePack[];
  /** Tags that name something other than a pack. */
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
