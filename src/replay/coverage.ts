// How much of a run a replay could check, apart from how faithful it was: what was checked, and what the
// other calls that can be judged would need.
import type { Step } from "../model/manifest.js";
import type { Need, ReplayCoverage, ReplayedStep } from "../results/replay.js";

/** What provides the files of the run's repository. */
export interface CheckoutNeed {
  what: string;
  flag: string;
}

/** Returns what a step that failed would need; undefined if nothing would help. */
function needOf(
  { reason, needs, tool }: ReplayedStep,
  checkout: () => CheckoutNeed,
): Omit<Need, "calls"> | undefined {
  switch (reason) {
    case "not_allowed":
      return needs === undefined ? undefined : { what: needs, flag: needs };
    case "missing_input":
      return needs === undefined ? { what: "files that are not in the workspace", flag: null } : checkout();
    case "no_program":
      return { what: needs ?? "a program", flag: null };
    case "no_dependency":
      return { what: needs ?? "a dependency", flag: checkout().flag };
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

/**
 * Returns the coverage of a replay. Calls that were executed with nothing to compare cannot be checked.
 * `checkout` is called only if a step needs the repository or its dependencies.
 */
export function coverageOf(
  steps: readonly ReplayedStep[],
  all: readonly Step[],
  checkout: () => CheckoutNeed,
): ReplayCoverage {
  const calls = new Set(all.filter(({ type }) => type === "tool_call").map(({ index }) => index));
  const found = new Map<string, Need>();
  let known: CheckoutNeed | undefined;
  const checkoutOnce = (): CheckoutNeed => (known ??= checkout());
  let checked = 0;
  let failed = 0;
  for (const step of steps) {
    if (!calls.has(step.index)) continue;
    if (isChecked(step)) checked++;
    if (step.status !== "failed") continue;
    failed++;
    const need = needOf(step, checkoutOnce);
    if (need === undefined) continue;
    const counted = found.get(need.what) ?? { what: need.what, calls: 0, flag: need.flag };
    counted.calls++;
    found.set(need.what, counted);
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
