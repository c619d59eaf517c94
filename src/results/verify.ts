// The result of `ctx verify`: for each target, a short list of claims and the outcome that follows from them.
import type { Reference } from "../base/digest.js";
import { maxOf } from "../base/lists.js";
import type { SidecarResult } from "./results.js";

export type Answer = "yes" | "no" | "not_checked";

export interface Claim {
  /**
   * Of a file or pack: `content`, `pack`, `lineage`, `sub_agents` (if steps name runs of sub-agents),
   * `sidecar`, `remarks`, `step` or `replay`. Of a store: `objects`, `manifests`, `references` or `refs`.
   */
  claim: string;
  answer: Answer;
  detail: string;
}

/** A fault, and how to repair it. */
export interface Fault {
  /** The object, pack, ref or file that is faulty. */
  about: string;
  message: string;
  /** The packs that are damaged by it. */
  packs: Reference[];
  remedy: string;
}

/** A range of lines of a file, counted from 1, and the output that contains them. */
export interface LineRange {
  from: number;
  to: number;
  pack?: Reference;
  output?: string;
  /** The number of the first of these lines in that output. */
  at?: number;
}

/** The form of a manifest: `ours` for that of this program, `go` for that of the Go implementation. */
export type PackForm = "ours" | "go";

export type VerifyOutcome =
  | "verified"
  | "modified"
  | "unproven"
  | "masked"
  | "damaged"
  | "absent"
  /** Of a store: only a part was checked, and it has no damage. */
  | "sampled";

export interface VerifiedTarget {
  target: string;
  kind: "file" | "pack" | "store";
  /** Of a pack that can be read: its title; null if it has none. */
  title?: string | null;
  result: VerifyOutcome;
  /** First the pack that decides the result, then others that contain the same bytes. */
  packs: Reference[];
  claims: Claim[];
  faults: Fault[];
  /** Remarks that are not faults. */
  notes: string[];
  /** Commands that show more. */
  next: string[];
  /**
   * Of a pack, or of the pack that decides about a file: the form of its manifest. Absent if it could not be
   * read.
   */
  form?: PackForm;
  /** Of a file: its SHA-256. */
  hash?: Reference;
  /** Of a modified file: the recorded output that it was, and a unified diff from that output. */
  was?: { pack: Reference; name: string; reference: Reference; diff?: string };
  lines?: LineRange[];
  /** Of a verified file: the sidecar that --write-sidecar wrote, or found as it should be. */
  written?: SidecarResult;
  /** Of a store: what it contains, and how much of that was checked. */
  counts?: {
    packs: number;
    objects: number;
    checked: number;
    bytes: number;
    unreached: number;
    /** Packs in the form of the Go implementation. */
    go?: number;
    /** Packs of a newer ctx, which this one cannot check. */
    newer?: number;
  };
}

/**
 * What `ctx verify --json` prints.
 * @title ctx verify
 */
export interface VerifyResult {
  /** The exit status: 0 proven, 1 something is wrong, 2 no answer. With several targets, the highest. */
  exit: 0 | 1 | 2;
  targets: VerifiedTarget[];
  /** What a verification does not prove. */
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

/**
 * Returns the highest exit status of the targets. A false claim makes an answer bad, whatever else is
 * unknown.
 */
export function exitOfTargets(targets: readonly VerifiedTarget[]): 0 | 1 | 2 {
  return maxOf(targets, ({ claims, result }) =>
    claims.some(({ answer }) => answer === "no") ? 1 : exitOf[result],
  ) as 0 | 1 | 2;
}

export const notProven = [
  "that the log is true: ctx proves that a record was not changed, not that it was right",
  "who made the record, and when: a hash names bytes, not people",
];

export const goNote =
  "the Go implementation wrote its manifest: the hash was checked, but there is no sealed copy to compare with";

/** Returns the result of a target of which nothing is known yet. */
export function absentTarget(target: string, kind: VerifiedTarget["kind"]): VerifiedTarget {
  return { target, kind, result: "absent", packs: [], claims: [], faults: [], notes: [], next: [] };
}
