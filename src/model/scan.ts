// What `ctx scan` answers.
import type { Reference } from "../base/digest.js";
import type { RuleCounts } from "./redactions.js";

export interface ScanFind {
  /** Of a pack: the part, such as `steps[3].output`. Of a file: `line 12`. */
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
  created?: string;
  finds: ScanFind[];
  notes: string[];
}

export interface ScanResult {
  /** The exit status: 0 nothing found, 1 something found, 2 something could not be looked at, and nothing was found. */
  exit: 0 | 1 | 2;
  /** The number of the set of built-in rules. */
  version: number;
  mode: "standard" | "strict";
  targets: ScannedTarget[];
}
