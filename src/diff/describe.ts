// One line per entry, made only of the entry and the steps it names. Contains texts from packs verbatim: code
// that prints a description must escape it.
import type { DriftEntry } from "../results/drift.js";
import type { Step } from "../model/manifest.js";

/** Describes a step entry in one line. */
export function stepDescription(entry: DriftEntry, a: Step | undefined, b: Step | undefined): string {
  const at = `${entry.count > 1 && entry.change !== "retried" ? "Steps" : "Step"} ${stepRange(entry)}`;
  const step = a ?? b;
  const name = step?.tool ?? step?.type ?? "";
  switch (entry.change) {
    case "added": {
      const subject = entry.count > 1 ? `${entry.count} steps` : name;
      const range = entry.count > 1 ? `steps ${stepRange(entry)}` : `step ${stepRange(entry)}`;
      return `${subject} added as ${range}${entry.at_end === true ? ", at the end" : ""}`;
    }
    case "removed":
      return `${at}: ${entry.count > 1 ? `${entry.count} steps` : name} ${entry.change}${entry.at_end === true ? " at the end" : ""}`;
    case "moved":
      return `${at}: ${entry.count > 1 ? `${entry.count} steps` : name} moved to ${entry.index_b}${entry.fields.length > 0 ? ", with different output" : ""}`;
    case "replaced":
      return `${at}: ${name} replaced by ${b?.tool ?? b?.type ?? ""}`;
    case "retried": {
      const [side, extra] = entry.extra_a.length > 0 ? ["first", entry.extra_a] : ["second", entry.extra_b];
      return `${at}: ${name} tried ${extra.length} more time${extra.length === 1 ? "" : "s"} in the ${side} run`;
    }
    case "changed":
      if (entry.type === "param_drift") return `${at}: ${name} called with different parameters`;
      return step?.tool === undefined
        ? `${at}: ${name} has different content`
        : `${at}: ${name} produced different output`;
  }
}

function stepRange({ change, count, step_index }: DriftEntry): string {
  const first = step_index ?? 0;
  return count > 1 && change !== "retried" ? `${first} to ${first + count - 1}` : `${first}`;
}
