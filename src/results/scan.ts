// The result of `ctx scan`.
import type { Reference } from "../base/digest.js";
import type { RuleCounts } from "../model/redactions.js";
import type { UtcTime } from "../model/times.js";

export interface ScanFind {
  /**
   * The location: in a pack a part, such as `steps[3].output`; in a file `line 12`; in a log that is not
   * packed, both.
   */
  place: string;
  rules: RuleCounts;
}

export interface ScannedTarget {
  target: string;
  kind: "file" | "pack";
  /** `unread`: it could not be read, or only in part; `notes` says why. */
  result: "clean" | "found" | "unread";
  /** The hash and time of a pack. */
  pack?: Reference;
  created?: UtcTime;
  finds: ScanFind[];
  /**
   * For a file that is a log with secrets: how many `ctx pack` would mask in it, by rule. It counts contents,
   * not lines, and those of files that the log refers to; a secret that occurs again counts under its first
   * rule.
   */
  masked_by_pack?: RuleCounts;
  /**
   * The number of contents that are not text; they were searched only for tokens with a recognisable form.
   */
  unsearched?: number;
  notes: string[];
}

/** Returns one line about contents that are not text. */
export function unsearchedText(count: number): string {
  const many = count === 1 ? "1 content is" : `${count} contents are`;
  return `${many} not text (pictures, archives and the like): ctx scanned only for tokens with a distinctive form`;
}

/**
 * What `ctx scan --json` prints.
 * @title ctx scan
 */
export interface ScanResult {
  /**
   * The exit status: 0 nothing found; 1 something found; 2 nothing found, but something could not be read.
   */
  exit: 0 | 1 | 2;
  /** The version of the set of built-in rules. */
  version: number;
  mode: "standard" | "strict";
  targets: ScannedTarget[];
}
