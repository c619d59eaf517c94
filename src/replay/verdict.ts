// From what happened to the steps to how faithful the replay was.
import type { EnvironmentFact, Fidelity, ReplayedStep, ReplayReport } from "../model/replay.js";
import type { Manifest, Output, Step } from "../model/manifest.js";

/** `deterministic` says of a step whether its log called it so. */
export function fidelityOf(
  steps: readonly ReplayedStep[],
  facts: readonly EnvironmentFact[],
  isDeterministic: (index: number) => boolean,
): Fidelity {
  const isBroken = facts.some(
    ({ kind, status }) => kind === "input" && (status === "missing" || status === "damaged"),
  );
  if (isBroken || steps.some(({ status }) => status === "failed")) return "failed";
  const isOff = steps.some(
    ({ index, status, by_request }) =>
      by_request === true || (status === "diverged" && isDeterministic(index)),
  );
  return isOff ? "degraded" : "exact";
}

export function countsOf(steps: readonly ReplayedStep[], all: readonly Step[]): ReplayReport["counts"] {
  const calls = new Set(all.filter(({ type }) => type === "tool_call").map(({ index }) => index));
  const of = (status: ReplayedStep["status"]): number =>
    steps.filter((step) => step.status === status).length;
  const checked = steps.filter(
    ({ index, status, executed }) =>
      calls.has(index) && executed && (status === "matched" || status === "diverged"),
  ).length;
  return {
    steps: steps.length,
    tool_calls: calls.size,
    checked,
    matched: of("matched"),
    normalised: steps.filter(({ compared }) => compared === "normalised").length,
    diverged: of("diverged"),
    recorded: of("recorded"),
    failed: of("failed"),
  };
}

/** Tells outputs that a tool had to make from what the model only said. */
export function isMade({ steps }: Manifest): (output: Output) => boolean {
  const said = new Set(
    steps.flatMap(({ type, output_ref }) => (type === "message" ? (output_ref ?? []) : [])),
  );
  return ({ content_ref }) => !said.has(content_ref);
}
