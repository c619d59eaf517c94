// Finds the differences that also occur from run to run without a cause. Every difference is broken up into
// traits, named by the steps of the first baseline; a difference is usual in another baseline run if that run
// shows all of its traits, too.
import { canonicalText } from "../base/json/canonical.js";
import type { DriftEntry } from "../results/drift.js";
import type { Step } from "../model/manifest.js";
import type { RankedEntry, StepDrift } from "./entries.js";
import { stepName } from "./taken-step.js";
import { valueChanges } from "./values.js";

/** Returns the traits of a step entry. */
export function stepTraits(
  a: readonly Step[],
  b: readonly Step[],
  { pairedA }: StepDrift,
  { entry, pairsBefore, stepsA, stepsB }: RankedEntry,
): string[] {
  switch (entry.change) {
    case "removed":
    case "moved":
      return stepsA.map((i) => `${entry.change} ${a[i]?.index}`);
    case "added": {
      // The position in the first run: after which of its steps.
      const after = a[pairedA[pairsBefore - 1] ?? -1]?.index ?? -1;
      return stepsB.map((j) => `added ${after} ${callText(b[j] as Step)}`);
    }
    case "retried":
      return [`retried ${entry.index_a}`];
    case "replaced":
      return [`replaced ${entry.index_a} ${stepName(b[stepsB[0] as number] as Step)}`];
    case "changed": {
      const [x, y] = [a[stepsA[0] as number] as Step, b[stepsB[0] as number] as Step];
      if (entry.type !== "param_drift") return [`output ${entry.index_a}`];
      const values = valueChanges(x.parameters, y.parameters).map(
        ({ path }) => `value ${entry.index_a} ${path}`,
      );
      return entry.fields.includes("output") ? [...values, `output ${entry.index_a}`] : values;
    }
  }
}

/** Returns the traits of an entry that is not about a step. */
export function otherTraits(entry: DriftEntry): string[] {
  const { prompts, ...single } = entry;
  const first = entry.prompt_index_a;
  if (prompts !== undefined)
    return prompts.flatMap((prompt, at) =>
      first == null
        ? otherTraits({ ...single, pack_b: prompt })
        : otherTraits({ ...single, prompt_index_a: first + at }),
    );
  const subject = entry.name ?? (entry.prompt_index === undefined ? "" : (first ?? "new"));
  // Artifacts and settings such as a seed differ from run to run; a prompt or a model that no baseline had is
  // news.
  const value = entry.name === undefined ? canonicalText(entry.pack_b) : "";
  return [`${entry.type} ${entry.change} ${entry.fields.join(",")} ${subject} ${value}`];
}

/**
 * Names a call with its parameters: that some command ran at this position before does not make every command
 * usual.
 */
function callText(step: Step): string {
  return `${stepName(step)} ${canonicalText(step.parameters)}`;
}

/** Numbers the traits of every entry: the second occurrence of a trait is another trait than the first. */
export function numberRepeats(entries: readonly (readonly string[])[]): string[][] {
  const seen = new Map<string, number>();
  return entries.map((traits) =>
    traits.map((trait) => {
      const count = (seen.get(trait) ?? 0) + 1;
      seen.set(trait, count);
      return `${trait} #${count}`;
    }),
  );
}

/** Returns in how many of the baseline runs a difference occurs; undefined if in none. */
export function baselineRunsWith(
  traits: readonly string[],
  runs: readonly ReadonlySet<string>[],
): { seen: number; of: number } | undefined {
  const seen = runs.filter((run) => traits.every((trait) => run.has(trait))).length;
  return seen === 0 ? undefined : { seen, of: runs.length };
}
