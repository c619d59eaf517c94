// The result of `ctx diff`. Field names and meanings are part of the JSON contract, and the same two packs
// always produce the same bytes.
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
export type DriftChange = "added" | "removed" | "moved" | "replaced" | "changed" | "retried";
export type StepField = "type" | "tool" | "parameters" | "output";

/** One changed value in parameters. On the side that `absent` names, the value is null. */
export interface ValueChange {
  /** The location of the value, such as `$.path.to[3].value`. */
  path: string;
  pack_a: JsonValue;
  pack_b: JsonValue;
  /** The side that does not have the value. */
  absent?: "a" | "b";
  /** A unified diff, if both values are texts of several lines. */
  diff?: string;
}

/** The difference between two contents. */
export interface ContentChange {
  kind: "text" | "binary" | "unread";
  size_a: number | null;
  size_b: number | null;
  /** A unified diff without file names. If it is absent, `reason` says why. */
  diff?: string;
  lines_added?: number;
  lines_removed?: number;
  /** Why there is no diff, or only a part of one. */
  reason?: string;
  /** What is wrong with a blob, which was left out of the comparison. */
  damage?: string;
}

/** A step that a run took. */
export interface TakenStep {
  index: number;
  type: string;
  tool?: string;
  /** The parameters; long texts in them are cut. */
  parameters: JsonObject;
  output_ref?: Reference;
  /** The first line of a step that called no tool. */
  text?: string;
}

export interface DriftEntry {
  type: DriftType;
  change: DriftChange;
  description: string;
  step_index: number | null;
  index_a: number | null;
  index_b: number | null;
  /** The number of steps, or of other parts of the run, in this entry. */
  count: number;
  /** The fields that differ, in the order type, tool, parameters, output; for a prompt, role, content. */
  fields: string[];
  /** The indices of the extra attempts of a retry. */
  extra_a: number[];
  extra_b: number[];
  /** The value on this side: a tool, parameters, a reference or a text; null if there is none. */
  pack_a: JsonValue;
  pack_b: JsonValue;
  /**
   * The relation to the first divergence; null for the divergence itself and for entries that are not steps.
   */
  relation: "before" | "follows" | "independent" | "unknown" | null;
  /**
   * The reason for `relation`: a link for `follows`, `no_link` for `independent`, what was missing for
   * `unknown`.
   */
  because?: "same_stretch" | "value" | "same_resource" | "no_link" | "budget" | "unreadable";
  /** The index in `entries` of the entry that this one follows from. */
  leans_on?: number;
  /** The word or path that links the two entries, and the side that contains it. */
  word?: string;
  side?: "a" | "b" | "both";
  /** The first few steps that were added, removed, moved, replaced or retried. */
  steps_a?: TakenStep[];
  steps_b?: TakenStep[];
  /** Set if an added or removed stretch extends to the end of its run. */
  at_end?: true;
  /** The index among the prompts of run a, or of run b if only that one has the prompt. */
  prompt_index?: number;
  prompt_index_a?: number | null;
  prompt_index_b?: number | null;
  /** The prompts, if several in a row were added or removed; the fields above are about the first. */
  prompts?: Reference[];
  /** The name of an output, or of a parameter of the model. */
  name?: string;
  changes?: ValueChange[];
  /** The number of changed values that `changes` does not list. */
  changes_omitted?: number;
  content?: ContentChange;
  /**
   * Set if the baseline runs also differ here: `seen` of `of` runs do. Such an entry does not count as drift.
   */
  usual?: { seen: number; of: number };
}

/** A difference that is not drift, but may have caused it. */
export interface ContextChange {
  kind: "input" | "environment" | "deterministic" | "seen" | "confidence" | "notes";
  name: string;
  pack_a: JsonValue;
  pack_b: JsonValue;
}

export interface Divergence {
  /** The index of its entry in `entries`; null if --only left that entry out. */
  entry: number | null;
  description: string;
  /** The first step that each run took here; null if the run had ended. */
  index_a: number | null;
  index_b: number | null;
  step_a: TakenStep | null;
  step_b: TakenStep | null;
  /** The first call that the run made here, if its first step is prose. */
  call_a?: TakenStep;
  call_b?: TakenStep;
  /**
   * What differed before: indices in `entries` and `context`, and descriptions of entries that --only left
   * out.
   */
  causes: { entries: number[]; context: number[]; other: string[] };
}

/**
 * What `ctx diff` prints: two runs compared.
 * @title ctx diff
 */
export interface DriftReport {
  pack_hash_a: Reference;
  pack_hash_b: Reference;
  /** The titles of the two packs in this store; null for a pack that has none. */
  title_a: string | null;
  title_b: string | null;
  /** Whether there are differences that count as drift. */
  has_drift: boolean;
  entries: DriftEntry[];
  context: ContextChange[];
  /** Pairs of steps of parallel groups that returned in a different order. */
  reordered: { index_a: number; index_b: number }[];
  first_divergence: Divergence | null;
  /** The first pair of equal steps after the divergence. */
  resync: { index_a: number; index_b: number } | null;
  alignment: "exact" | "coarse" | "index";
  /** The limit that was reached, if the alignment is coarse. */
  alignment_reason?: string;
  ignored: {
    /** Each rule, and the number of values or steps that it left out on each side. */
    rules: { rule: string; count_a: number; count_b: number }[];
    /** The number of pairs that differ only in ignored values. */
    differences: number;
    /** The number of entries that are usual among the baselines. */
    usual: number;
    /** The number of entries that --only left out. */
    filtered: number;
  };
  /** The baseline runs that usual variation was measured with. */
  baselines: Reference[];
  /** The origin of a pack that no agent ran. A pack of kind `draft` was never executed. */
  origin_a?: KnownOrigin;
  origin_b?: KnownOrigin;
  /** Contents that could not be read. If there are any, the comparison is incomplete. */
  unreadable: { reference: Reference; message: string }[];
}
