// The part of a report that the judge reads, so that planted entries, reports and poor reports have one form;
// and its cost by the published table.
import { costs } from "../../src/diff/costs.js";
import type { DriftEntry } from "../../src/results/drift.js";
import type { Manifest } from "../../src/model/manifest.js";
import { isTool, type Keyed, pairCost, toolBefore } from "./steps.js";

export type Entry = Pick<
  DriftEntry,
  | "type"
  | "change"
  | "step_index"
  | "index_a"
  | "index_b"
  | "count"
  | "fields"
  | "extra_a"
  | "extra_b"
  | "at_end"
  | "prompt_index"
  | "name"
>;

export type Pair = readonly [number, number];

export interface Explanation {
  entries: Entry[];
  reordered: { index_a: number; index_b: number }[];
}

/** Returns whether an entry is about steps. */
export function isStepEntry(entry: Entry): boolean {
  return entry.index_a !== null || entry.index_b !== null;
}

export function entryOf(
  type: Entry["type"],
  change: Entry["change"],
  indexA: number | null,
  indexB: number | null,
  more: Partial<Entry> = {},
): Entry {
  return {
    type,
    change,
    step_index: indexA ?? indexB,
    index_a: indexA,
    index_b: indexB,
    count: 1,
    fields: [],
    extra_a: [],
    extra_b: [],
    ...more,
  };
}

/** Returns the cost of the step entries; other entries have none. */
export function priceOf(a: Manifest, b: Manifest, { entries }: Explanation): number {
  let price = 0;
  for (const entry of entries) {
    if (!isStepEntry(entry)) continue;
    if (entry.change === "added" || entry.change === "removed")
      price += costs.stretch + costs.stretchStep * entry.count;
    else if (entry.change === "moved") {
      price += costs.move + costs.moveStep * entry.count;
      if (entry.fields.length > 0) price += costs.moveOtherOutput;
    } else if (entry.change === "retried")
      price += costs.retry + costs.retryStep * (entry.extra_a.length + entry.extra_b.length);
    else {
      const [one, other] = [a.steps[entry.index_a ?? -1], b.steps[entry.index_b ?? -1]];
      if (one !== undefined && other !== undefined) price += pairCost(one, other);
    }
  }
  return price;
}

/** Why a retry is none by the contract; undefined if it is one. */
export function retryProblem(a: Keyed, b: Keyed, [i, j]: Pair, extraA: number[], extraB: number[]) {
  if (extraA.length > 0 === extraB.length > 0) return "not exactly one side has extra steps";
  const inA = extraA.length > 0;
  const extras = inA ? extraA : extraB;
  const [run, at] = inA ? [a, i] : [b, j];
  const call = run.calls[at] as string;
  if (extras.length > 5) return "more than 5 extra steps";
  if (!isTool(a.steps[i]) || a.calls[i] !== b.calls[j]) return "not a pair of tool steps with the same call";
  for (const [position, extra] of extras.entries()) {
    if (extra < 0 || extra >= at || extra <= (extras[position - 1] ?? -1)) return "extra steps out of place";
    if (run.calls[extra] !== call) return "an extra step is another call";
    if (run.keys[extra] === run.keys[at]) return "an extra step has the output of the paired one";
  }
  const first = extras[0] as number;
  for (let between = first; between < at; between++)
    if (isTool(run.steps[between]) && !extras.includes(between)) return "more than prose between";
  const sameBefore = (keyed: Keyed, position: number): boolean =>
    keyed.calls[toolBefore(keyed.steps, position)] === call;
  if (sameBefore(run, first) || sameBefore(inA ? b : a, inA ? j : i))
    return "the tool step before is the same call";
  return undefined;
}
