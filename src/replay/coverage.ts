// How much of a run a replay could check, apart from how faithful it was: what was checked, and what the
// other calls that can be judged would need.
import type { Step } from "../model/manifest.js";
import type { Need, ReplayCoverage, ReplayedStep } from "../results/replay.js";

/** Returns what a step that failed would need; undefined if nothing would help. */
function needOf({ reason, needs, tool }: ReplayedStep): Omit<Need, "calls"> | undefined {
  switch (reason) {
    case "not_allowed":
      return needs === undefined ? undefined : { what: needs, flag: needs };
    case "missing_input":
      return needs === undefined
        ? { what: "files that are not in the workspace", flag: null }
        : { what: needs, flag: "--auto" };
    case "no_program":
      return { what: needs ?? "a program", flag: null };
    case "no_dependency":
      return { what: needs ?? "a dependency", flag: "--auto" };
    case "no_tool":
      return {
        what: `an adapter for ${tool ?? "a tool"}`,
        flag: tool === undefined ? null : `--recorded ${tool}`,
      };
    case "no_sandbox":
      return { what: "a sandbox", flag: null };
    case "masked":
      return { what: "what was masked", flag: null };
    default:
      return undefined;
  }
}

/** Returns the coverage of a replay. Calls that were executed with nothing to compare cannot be checked. */
export function coverageOf(steps: readonly ReplayedStep[], all: readonly Step[]): ReplayCoverage {
  const calls = new Set(all.filter(({ type }) => type === "tool_call").map(({ index }) => index));
  const found = new Map<string, Need>();
  let checked = 0;
  let failed = 0;
  for (const step of steps) {
    if (!calls.has(step.index)) continue;
    if (isChecked(step)) checked++;
    if (step.status !== "failed") continue;
    failed++;
    const need = needOf(step);
    if (need === undefined) continue;
    const known = found.get(need.what) ?? { what: need.what, calls: 0, flag: need.flag };
    known.calls++;
    found.set(need.what, known);
  }
  return {
    calls: calls.size,
    checkable: checked + failed,
    checked,
    needs: [...found.values()].sort((a, b) => b.calls - a.calls),
  };
}

export function isChecked({ executed, status }: ReplayedStep): boolean {
  return executed && (status === "matched" || status === "diverged");
}

/** Returns the part of the calls that can be checked that was, in percent; 100 if there are none. */
export function percentChecked({ checkable, checked }: ReplayCoverage): number {
  return checkable === 0 ? 100 : (checked / checkable) * 100;
}
