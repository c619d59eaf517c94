// The result of `ctx verify`: for each target a short list of claims, and the outcome that follows from them.
import type { Reference } from "../base/digest.js";

export type Answer = "yes" | "no" | "not_checked";

export interface Claim {
  /** `content`, `pack`, `lineage`, `sub_agents` (where steps name runs of sub-agents), `sidecar`, `remarks`, `step`, `replay`; `objects`, `manifests`, `references`, `refs` of a store. */
  claim: string;
  answer: Answer;
  detail: string;
}

/** Something that is wrong, and what to do about it. */
export interface Fault {
  /** The object, pack, ref or file that it is about. */
  about: string;
  message: string;
  /** Packs that have lost something by it. */
  packs: Reference[];
  remedy: string;
}

/** Lines of a file, first and last, counted from 1, and where they were recorded. */
export interface LineRange {
  from: number;
  to: number;
  pack?: Reference;
  output?: string;
  /** The first of these lines in that output. */
  at?: number;
}

/** How a manifest was read: as this program writes them, or as the Go implementation did. */
export type PackForm = "ours" | "go";

export type VerifyOutcome =
  | "verified"
  | "modified"
  | "unproven"
  | "masked"
  | "damaged"
  | "absent"
  /** Of a store, of which only a part was looked at: no damage there. */
  | "sampled";

export interface VerifiedTarget {
  target: string;
  kind: "file" | "pack" | "store";
  result: VerifyOutcome;
  /** The pack that decides first; then others that hold the same bytes. */
  packs: Reference[];
  claims: Claim[];
  faults: Fault[];
  /** What a person may want to know, and is not wrong. */
  notes: string[];
  /** Commands to look further. */
  next: string[];
  /** Of a pack, and of the pack that decides about a file: how its manifest was read. Absent where it could not be read. */
  form?: PackForm;
  /** Of a file: its SHA-256. */
  hash?: Reference;
  /** Of a file that is not what was recorded: the output that it was, and a unified diff from it. */
  was?: { pack: Reference; name: string; reference: Reference; diff?: string };
  lines?: LineRange[];
  /** Of a store: how much there was, and how much of it was looked at. */
  counts?: {
    packs: number;
    objects: number;
    checked: number;
    bytes: number;
    unreached: number;
    /** Packs in the form of the Go implementation. */
    go?: number;
    /** Packs that a newer ctx wrote, and that this one cannot check. */
    newer?: number;
  };
}

/**
 * What `ctx verify --json` prints.
 * @title ctx verify
 */
export interface VerifyResult {
  /** The exit status: 0 proven, 1 something is wrong, 2 no answer. Of several targets the highest. */
  exit: 0 | 1 | 2;
  targets: VerifiedTarget[];
  /** What no answer proves. */
  not_proven: string[];
}

export const exitOf: Record<VerifyOutcome, 0 | 1 | 2> = {
  verified: 0,
  sampled: 0,
  modified: 1,
  damaged: 1,
  unproven: 2,
  masked: 2,
  absent: 2,
};

export const notProven = [
  "that the log told the truth about the run: ctx proves that a record was not changed, not that it was right",
  "who made the record, and when: a hash names bytes, not people",
];

export const goNote =
  "its manifest has the form of the Go implementation: the hash was checked, and there is no sealed copy to compare";
