// Derives the fidelity of a replay from what happened to its steps and outputs.
import type { Reference } from "../base/digest.js";
import type { Manifest, Output, Step } from "../model/manifest.js";
import type { Fidelity, ReplayedOutput, ReplayedStep, ReplayReport } from "../results/replay.js";
import { isChecked, percentChecked } from "./coverage.js";
import type { EndState } from "./run-steps.js";

/**
 * Returns the fidelity. `required`: how much of the calls that can be checked must be, in percent, for an
 * exact replay.
 */
export function fidelityOf(
  {
    steps,
    outputs,
    environment,
    coverage,
  }: Pick<ReplayReport, "steps" | "outputs" | "environment" | "coverage">,
  required = 0,
): Fidelity {
  const isBroken = environment.some(
    ({ kind, status }) => kind === "input" && (status === "missing" || status === "damaged"),
  );
  if (isBroken || steps.some(({ status }) => status === "failed")) return "failed";
  const isOff = steps.some(
    ({ status, expected, by_request }) => by_request === true || (status === "diverged" && expected !== true),
  );
  // A replay that executed steps without a single match is not exact, whatever the log says about its steps.
  const isEmpty = steps.some(({ executed }) => executed) && !steps.some(({ status }) => status === "matched");
  const isLow = percentChecked(coverage) < required;
  return isOff || isEmpty || isLow || outputs.some(({ reproduced }) => reproduced === false)
    ? "degraded"
    : "exact";
}

export function countSteps(
  steps: readonly ReplayedStep[],
  all: readonly Step[],
  resynced: number,
): ReplayReport["counts"] {
  const calls = new Set(all.filter(({ type }) => type === "tool_call").map(({ index }) => index));
  const checked = steps.filter((step) => calls.has(step.index) && isChecked(step)).length;
  const of = (status: ReplayedStep["status"]): number =>
    steps.filter((step) => step.status === status).length;
  return {
    steps: steps.length,
    tool_calls: calls.size,
    checked,
    matched: of("matched"),
    normalised: steps.filter(({ compared }) => compared === "normalised").length,
    diverged: of("diverged"),
    recorded: of("recorded"),
    failed: of("failed"),
    resynced,
  };
}

export interface OutputOptions {
  manifest: Manifest;
  /** The only step that is judged, if there is one. */
  only: number | undefined;
  /** Whether the outputs are those that ctx found in an agent's log: what commands did to them is not in there. */
  isImported: boolean;
  /** Returns a few lines that show how the file differs from the record. */
  difference: (reference: Reference, path: string) => string | undefined;
}

/** Maximum number of differing outputs shown with a diff. */
const maxDiffs = 10;

/** Returns the result for each output: reproduced, not reproduced, or not made by any executed step. */
export function outputsOf(
  { outputs, unexecuted }: EndState,
  { manifest, only, isImported, difference }: OutputOptions,
): ReplayedOutput[] {
  const isFile = isMadeByTool(manifest);
  let diffs = 0;
  return outputs.map(({ output, path, madeBy, dueBy, actual, isUnchanged, isSetBack, wasReproduced }) => {
    const { name, content_ref: expected_hash } = output;
    const unknown = (made_by: number | null, message: string): ReplayedOutput => ({
      name,
      reproduced: null,
      made_by,
      expected_hash,
      message,
    });
    if (isUnchanged) return { ...unknown(null, "it was there before the first step"), unchanged: true };
    const maker = laterStep(madeBy, actual === expected_hash ? undefined : dueBy);
    if (maker === undefined || path === undefined)
      return isFile(output)
        ? unknown(null, "no executed step made it")
        : { ...unknown(null, "the model said it; no step made it"), said: true };
    if (only !== undefined && only !== maker)
      return unknown(maker, `step ${maker} made it, and only step ${only} was judged`);
    if (isSetBack && actual === expected_hash)
      return unknown(maker, "it was set back to the record on the way: this replay did not make all of it");
    if (actual === expected_hash) return { name, reproduced: true, made_by: maker, expected_hash };
    if (isImported && wasReproduced && maker === madeBy && dueBy !== maker)
      return unknown(
        maker,
        `it was as recorded until step ${maker}, a command, changed it, which the log does not record`,
      );
    const later = unexecuted.after(maker, path);
    if (later !== undefined)
      return unknown(maker, `step ${later} was not executed, which may change it after step ${maker}`);
    const diff = actual === undefined || diffs++ >= maxDiffs ? undefined : difference(expected_hash, path);
    return {
      name,
      reproduced: false,
      made_by: maker,
      expected_hash,
      ...(actual === undefined ? {} : { actual_hash: actual }),
      message: differs(maker, { isThere: actual !== undefined, isDue: maker !== madeBy }),
      ...(diff === undefined ? {} : { diff }),
    };
  });
}

function laterStep(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}

function differs(step: number, { isThere, isDue }: { isThere: boolean; isDue: boolean }): string {
  if (isDue) return `step ${step} had to change it, and could not`;
  return isThere ? `step ${step} made it with other bytes` : `step ${step} left no file that can be compared`;
}

/** Distinguishes outputs that a tool had to make from text that the model only said. */
export function isMadeByTool({ steps }: Manifest): (output: Output) => boolean {
  const saidByModel = new Set(
    steps.flatMap(({ type, output_ref }) => (type === "message" ? (output_ref ?? []) : [])),
  );
  return ({ content_ref }) => !saidByModel.has(content_ref);
}
