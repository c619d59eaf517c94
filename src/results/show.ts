// What `ctx show` and `ctx cat` return. The result of `ctx show` itself is the sealed manifest:
// model/manifest.ts.
import type { Reference } from "../base/digest.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { Failure } from "../model/failed-calls.js";
import type { KnownOrigin } from "../model/origin.js";
import type { LostTag } from "./log.js";

/** The beginning of one blob. */
export interface Preview {
  size: number;
  /** The first lines; null if the content is not text. */
  text: string | null;
  /** The last lines of a longer text. */
  tail?: string;
  /** What is wrong with the blob; `size` and `text` then mean nothing. */
  damage?: string;
}

/** A run as a screen shows it: the manifest, and what it does not hold itself. */
export interface RunOverview {
  manifest: Manifest;
  title: string | null;
  tags: string[];
  /** Tags that name no pack of this store; one of them may have been a tag of this pack. */
  lost_tags: LostTag[];
  /** By reference, one for each blob that the manifest reaches. */
  previews: Record<Reference, Preview>;
  /** Packs of this store that were made from it, newest first. */
  children: Reference[];
  /** Packs of this store that cannot be read; each may be another child. */
  unread: Reference[];
  /** Whether the parent is in this store; missing if there is no parent. */
  parent_present?: boolean;
  /** Whether the Go implementation wrote it. */
  from_go: boolean;
  /** Fields of the manifest that this version does not know. */
  unknown: string[];
  /** The origin of a pack that no agent ran. */
  origin?: KnownOrigin;
}

/** Selected steps of a run as a screen shows them. */
export interface StepsOverview {
  manifest: Manifest;
  title: string | null;
  /** The indexes of the selected steps. */
  steps: number[];
  /** By reference, one for each blob that the list of these steps shows. */
  previews: Record<Reference, Preview>;
}

/** A file, and the indexes of the steps that used it. */
export interface FileUse {
  /** Relative to the folder of the run if it is below it. */
  path: string;
  read: number[];
  written: number[];
  deleted: number[];
}

/**
 * What `ctx show --files --json` prints.
 * @title ctx show, the files of a run
 */
export interface ShowFilesResult {
  pack: Reference;
  title: string | null;
  /** By path. */
  files: FileUse[];
  /** Calls that may have used other files: commands, and edits of a file that the log does not name. */
  commands: number[];
}

/** A content: as text where its bytes are UTF-8, else as base64. */
export type TextOrBase64 =
  | { text: string; base64?: never }
  | {
      /** @contentEncoding base64 */
      base64: string;
      text?: never;
    };

export type PartContent = { ref: Reference; size: number } & TextOrBase64;

/**
 * What `ctx show --json` prints with --step, --prompt, --system, --input or --output; with --steps, --errors
 * or --full each line.
 * @title ctx show, one part
 */
export type ShowPartResult = { pack: Reference } & (
  | { part: "system"; content: PartContent }
  | PromptPart
  | StepPart
  | { part: "input" | "output"; name: string; content: PartContent }
);

interface PromptPart {
  part: "prompt";
  index: number;
  role: string;
  content: PartContent;
}

interface StepPart {
  part: "step";
  index: number;
  step: Step;
  /**
   * Set if the exit status of a command is unknown although its status is `ok`: the log has none, and the line
   * ends in a pipe, which only ends as its last command does.
   */
  exit_unknown?: true;
  /** How the step failed, if the log says so. */
  failure?: Failure;
  output?: PartContent;
  seen?: PartContent;
}

/**
 * A line of `ctx show --follow --json`: a prompt or a step, as soon as it is recorded.
 * @title ctx show --follow
 */
export type FollowedPart = {
  /** The id of the session, if the log has one, and of the sub-agent whose prompt or step it is. */
  session?: string;
  subagent?: string;
} & (PromptPart | StepPart);

/**
 * What `ctx cat --json` prints.
 * @title ctx cat
 */
export type CatResult = { hash: Reference; size: number } & TextOrBase64;
