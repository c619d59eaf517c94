// Which calls of a run failed, as far as its log says so: `ctx show --errors` selects them, and the list of
// steps marks them.
import type { Step } from "./manifest.js";

/** How a call failed: it returned an error, the user denied it, or it was interrupted. */
export type Failure = "error" | "denied" | "interrupted";

const failures: ReadonlyMap<unknown, Failure> = new Map([
  ["error", "error"],
  ["failed", "error"],
  ["failure", "error"],
  ["denied", "denied"],
  ["interrupted", "interrupted"],
]);

/**
 * Returns how a step failed, or undefined. Its recorded status decides; a log without one may record an exit
 * status other than 0. A call without an answer did not fail: the log does not say how it ended.
 */
export function failureOf({ metadata }: Step): Failure | undefined {
  const { status, exit_code: exit } = metadata ?? {};
  if (typeof status === "string") return failures.get(status.trim().toLowerCase());
  return typeof exit === "number" && exit !== 0 ? "error" : undefined;
}

/** Returns whether the log says how at least one call ended. */
export function recordsStatus(steps: readonly Step[]): boolean {
  return steps.some(({ metadata }) => {
    const { status, exit_code: exit } = metadata ?? {};
    return (typeof status === "string" && status !== "unanswered") || typeof exit === "number";
  });
}
