// What `ctx show` and `ctx cat` return, and what they print under --json.
import type { Reference } from "../base/digest.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { KnownOrigin } from "../model/origin.js";
import type { LostTag } from "./results.js";

/** A look at one blob. */
export interface Preview {
  size: number;
  /** The first lines, or null when the content is not text. */
  text: string | null;
  /** What is wrong with the blob; size and text then say nothing. */
  damage?: string;
}

export interface ShowResult {
  manifest: Manifest;
  tags: string[];
  /** Tags that lead to no pack of this store: one of them may have been its own. */
  lost_tags: LostTag[];
  /** By reference, one for each blob that the manifest reaches. */
  previews: Map<Reference, Preview>;
  /** Packs of this store that were made from it, newest first. */
  children: Reference[];
  /** Packs of this store that cannot be read: each may be another one. */
  unread: Reference[];
  /** Whether the parent is in this store; undefined when there is none. */
  parentPresent: boolean | undefined;
  /** Whether the Go implementation wrote it. */
  fromGo: boolean;
  /** Fields of the manifest that this version does not know. */
  unknown: string[];
  /** Where the pack comes from, when it was not recorded from a run. */
  origin?: KnownOrigin;
}

/** Content for `--json`: `text` where the bytes are UTF-8, `base64` otherwise. */
export type TextOrBase64 =
  | { text: string; base64?: never }
  | {
      /** @contentEncoding base64 */
      base64: string;
      text?: never;
    };

export type PartContent = { ref: Reference; size: number } & TextOrBase64;

export interface ShowPartResult {
  pack: Reference;
  part: "step" | "prompt" | "system" | "input" | "output";
  index?: number;
  name?: string;
  role?: string;
  step?: Step;
  /** Under `content`, or for a step under `output` and `seen`. */
  contents: { label: string; content: PartContent; bytes: Buffer }[];
}

/**
 * What `ctx show --json` prints with --step, --prompt, --system, --input or --output.
 * @title ctx show, one part
 */
export type PrintedPart = { pack: Reference } & (
  | { part: "system"; content: PartContent }
  | { part: "prompt"; index: number; role: string; content: PartContent }
  | { part: "step"; index: number; step: Step; output?: PartContent; seen?: PartContent }
  | { part: "input" | "output"; name: string; content: PartContent }
);

/** Returns a part as `--json` prints it, each content under its label. */
export function printedPart({ contents, ...about }: ShowPartResult): PrintedPart {
  const labelled = contents.map(({ label, content }) => [label, content] as const);
  return { ...about, ...Object.fromEntries(labelled) } as PrintedPart;
}

export interface CatResult {
  hash: Reference;
  size: number;
}

/**
 * What `ctx cat --json` prints.
 * @title ctx cat
 */
export type PrintedBlob = CatResult & TextOrBase64;
