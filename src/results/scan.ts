// The result of `ctx scan`.
import type { Reference } from "../base/digest.js";
import type { RuleCounts } from "../model/redactions.js";
import type { UtcTime } from "../model/times.js";

export interface ScanFind {
  /** Of a pack: the part, such as `steps[3].output`. Of a file: `line 12`; of a log that is not packed, both. */
  place: string;
  rules: RuleCounts;
}

export interface ScannedTarget {
  target: string;
  kind: "file" | "pack";
  /** `unread`: it could not be looked at, or not all of it; `notes` say why. */
  result: "clean" | "found" | "unread";
  /** Of a pack. */
  pack?: Reference;
  created?: UtcTime;
  finds: ScanFind[];
  /** How many contents are no text: only tokens with a form of their own were looked for in them. */
  unsearched?: number;
  notes: string[];
}

/** Returns one line about contents that are not text. */
export function unsearchedText(count: number): string {
  const many = count === 1 ? "1 content is" : `${count} contents are`;
  return `${many} not text (pictures, archives and the like): only tokens with a form of their own were looked for there`;
}

/**
 * What `ctx scan --json` prints.
 * @title ctx scan
 */
export interface ScanResult {
  /** The exit status: 0 nothing found, 1 something found, 2 something could not be looked at, and nothing was found. */
  exit: 0 | 1 | 2;
  /** The number of the set of built-in rules. */
  version: number;
  mode: "standard" | "strict";
  targets: ScannedTarget[];
}
