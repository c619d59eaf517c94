// The result of `ctx diff`: two runs compared. Field names and meanings are part of the JSON contract, and the same two
// packs always produce the same bytes.
import type { Reference } from "../base/digest.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import type { KnownOrigin } from "../model/origin.js";

export const driftTypes = [
  "prompt_drift",
  "tool_drift",
  "param_drift",
  "reasoning_drift",
  "output_drift",
] as const;

export type DriftType = (typeof driftTypes)[number];
export type Change = "added" | "removed" | "moved" | "replaced" | "changed" | "retried";
export type StepField = "type" | "tool" | "parameters" | "output";

/** The prices by which the cheapest explanation is chosen. */
export const costs = {
  equal: 0,
  otherOutput: 2,
  /** Other parameters with the same output, or with at least half of the words in common. */
  closeParameters: 4,
  otherParameters: 6,
  /** Another tool or type, with the same parameters or the same output. */
  closeTool: 5,
  otherTool: 8,
  /** A stretch of added or removed steps, and each of them. */
  stretch: 4,
  stretchStep: 2,
  move: 2,
  moveStep: 1,
  moveOtherOutput: 2,
  retry: 1,
  retryStep: 1,
} as const;

/** One changed value in parameters: null and `absent` where a side does not have it. */
export interface ValueChange {
  /** Where: `$.path.to[3].value`. */
  path: string;
  pack_a: JsonValue;
  pack_b: JsonValue;
  /** The side that has nothing there. */
  absent?: "a" | "b";
  /** A unified diff, where both are texts of several lines. */
  diff?: string;
}

/** How two contents differ. */
export interface ContentChange {
  kind: "text" | "binary" | "unread";
  size_a: number | null;
  size_b: number | null;
  /** A unified diff, without file names; absent where there is none, and then `reason` says why. */
  diff?: string;
  lines_added?: number;
  lines_removed?: number;
  /** Why there is no diff, or not all of it. */
  reason?: string;
  /** What is wrong with a blob: the comparison went on without it. */
  damage?: string;
}

/** A step as it was called. */
export interface TakenStep {
  index: number;
  type: string;
  tool?: string;
  /** Long texts in it are cut. */
  parameters: JsonObject;
  output_ref?: Reference;
  /** The first line of what a step without a tool says. */
  text?: string;
}

export interface DriftEntry {
  type: DriftType;
  change: Change;
  description: string;
  step_index: number | null;
  index_a: number | null;
  index_b: number | null;
  /** How many steps (or other things) it is about. */
  count: number;
  /** Which fields differ, in the order type, tool, parameters, output; role, content for a prompt. */
  fields: string[];
  /** Indices of the extra attempts of a retry. */
  extra_a: number[];
  extra_b: number[];
  /** That side's differing value: tool, parameters, reference or text; null where there is none. */
  pack_a: JsonValue;
  pack_b: JsonValue;
  /** What it has to do with the first divergence; null for the divergence itself, and for what is no step. */
  relation: "before" | "follows" | "independent" | "unknown" | null;
  /** Why, for `follows`; `no_link` for independent, the budget that was reached for `unknown`. */
  because?: "same_stretch" | "value" | "same_resource" | "no_link" | "budget" | "unreadable";
  /** The entry that it follows from, by its place in `entries`. */
  leans_on?: number;
  /** The word or path that links them, and the side that it was seen on. */
  word?: string;
  side?: "a" | "b" | "both";
  /** The steps that were added, removed, moved, replaced or tried again, as far as they were looked at: the first few. */
  steps_a?: TakenStep[];
  steps_b?: TakenStep[];
  /** For an added or removed stretch that reaches the end of its run. */
  at_end?: true;
  /** The place among the prompts of the run that has it (a, else b). */
  prompt_index?: number;
  prompt_index_a?: number | null;
  prompt_index_b?: number | null;
  /** Of an artifact, or of a parameter of the model. */
  name?: string;
  changes?: ValueChange[];
  /** How many more values differ than `changes` lists. */
  changes_omitted?: number;
  content?: ContentChange;
  /** Seen among the baseline runs too: in `seen` of `of`. Does not count as drift. */
  usual?: { seen: number; of: number };
}

/** Not drift, but perhaps its cause. */
export interface ContextChange {
  kind: "input" | "environment" | "deterministic" | "seen" | "confidence" | "notes";
  name: string;
  pack_a: JsonValue;
  pack_b: JsonValue;
}

export interface Divergence {
  /** Its place in `entries`; null when --only left that entry out. */
  entry: number | null;
  description: string;
  /** The step that either run took there; null when it had come to its end. */
  index_a: number | null;
  index_b: number | null;
  step_a: TakenStep | null;
  step_b: TakenStep | null;
  /** What was different already: entries and context, by their places, and what --only left out of the entries. */
  causes: { entries: number[]; context: number[]; other: string[] };
}

/**
 * What `ctx diff` prints: two runs compared.
 * @title ctx diff
 */
export interface DriftReport {
  pack_hash_a: Reference;
  pack_hash_b: Reference;
  /** Whether anything differs that counts. */
  has_drift: boolean;
  entries: DriftEntry[];
  context: ContextChange[];
  /** Pairs of steps of parallel groups that came back in another order. */
  reordered: { index_a: number; index_b: number }[];
  first_divergence: Divergence | null;
  /** The first equal pair after the divergence. */
  resync: { index_a: number; index_b: number } | null;
  alignment: "exact" | "coarse" | "index";
  /** Which budget was reached, when it is coarse. */
  alignment_reason?: string;
  ignored: {
    /** Each rule, and how many values or steps it left out on either side. */
    rules: { rule: string; count_a: number; count_b: number }[];
    /** Pairs that differ only in what was ignored. */
    differences: number;
    /** Entries that are usual among the baselines. */
    usual: number;
    /** Entries that --only left out. */
    filtered: number;
  };
  /** The baseline runs that variation was measured with. */
  baselines: Reference[];
  /** Where a pack comes from that was not recorded from a run. One of kind `draft` was never executed. */
  origin_a?: KnownOrigin;
  origin_b?: KnownOrigin;
  /** Contents that were needed and could not be read. With any, the comparison is not whole. */
  unreadable: { reference: Reference; message: string }[];
}
