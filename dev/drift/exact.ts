// Whether a report has the planted entries. Several places can be equally right, so three answers count:
// - `same`: the same entries, after every added or removed stretch is slid to the last of its possible
// places;
// - `alike`: as many entries of each (type, change, count, fields), in a report that is complete and costs
// the same. This
//   takes a move of X over Y for one of Y over X, and a step that was copied for its copy.
import type { Manifest } from "../../src/model/manifest.js";
import { type Entry, type Explanation, isStepEntry } from "./explanation.js";
import { keyOf } from "./steps.js";

export type Exactness = "same" | "alike" | "other";

/** Called only for a complete report that costs as much as the planted entries. */
export function exactness(a: Manifest, b: Manifest, report: Explanation, planted: Explanation): Exactness {
  const [is, should] = [report.entries.filter(isStepEntry), planted.entries.filter(isStepEntry)];
  if (list(is.map(kindOf)) !== list(should.map(kindOf))) return "other";
  const placed = (entries: readonly Entry[]): string =>
    list(entries.map((entry) => `${kindOf(entry)} ${slid(a, b, entry, entries)}`));
  return placed(is) === placed(should) ? "same" : "alike";
}

function list(texts: string[]): string {
  return texts.sort().join("\n");
}

function kindOf(entry: Entry): string {
  const count = entry.change === "retried" ? entry.extra_a.length + entry.extra_b.length : entry.count;
  return `${entry.type} ${entry.change} ${count} ${entry.fields.join()}`;
}

/**
 * Returns the position of an entry; of a stretch, the last one that it can be slid to over steps that have no
 * entry.
 */
function slid(a: Manifest, b: Manifest, entry: Entry, all: readonly Entry[]): string {
  if (entry.change !== "added" && entry.change !== "removed")
    return `${entry.index_a} ${entry.index_b} ${entry.extra_a.join()} ${entry.extra_b.join()}`;
  const inA = entry.change === "removed";
  const { steps } = inA ? a : b;
  const taken = new Set<number>();
  for (const other of all) {
    const first = inA ? other.index_a : other.index_b;
    if (other === entry || first === null) continue;
    for (let step = 0; step < Math.max(1, other.count); step++) taken.add(first + step);
    for (const extra of inA ? other.extra_a : other.extra_b) taken.add(extra);
  }
  let first = (inA ? entry.index_a : entry.index_b) ?? 0;
  for (; first + entry.count < steps.length; first++) {
    const next = steps[first + entry.count];
    if (next === undefined || taken.has(first + entry.count)) break;
    if (keyOf(steps[first]!) !== keyOf(next)) break;
  }
  return String(first);
}
