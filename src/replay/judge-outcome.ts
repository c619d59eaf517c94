// Judges what the execution of a step brought about: how it ended, then its effect on files or its output.
import { hexOf, type Reference } from "../base/digest.js";
import type { ReplayedStep } from "../results/replay.js";
import { readObject } from "../store/objects.js";
import { compareOutput } from "./compare-output.js";
import { type Effect, effectVerdict, type OpenEffects, type StepVerdict } from "./effects.js";
import { failureVerdict } from "./failure-kinds.js";
import { type Outcome, wasTried } from "./outcome.js";
import { agentOf, isJudged, type PlannedStep } from "./plan.js";
import { contradictedEnd } from "./recorded-end.js";
import { hasFailed } from "./recorded-status.js";
import type { CommitHashes } from "./rules/git.js";
import { rulesFor } from "./rules/select.js";
import type { StepRun } from "./step-run.js";

/** What is known about the run's effects during the walk. */
export interface StepEffects {
  byStep: ReadonlyMap<number, Effect>;
  open: OpenEffects;
  hashes: CommitHashes;
}

/** Returns the step with its verdict, and its output if that is not the recorded one. */
export function judgeOutcome(
  run: StepRun,
  planned: PlannedStep,
  outcome: Outcome,
  base: Pick<ReplayedStep, "index" | "type" | "tool" | "class">,
  effects: StepEffects,
): { step: ReplayedStep; output?: Buffer } {
  const { step, execution, compared } = planned;
  const failedBefore = hasFailed(step);
  const toStep = (verdict: StepVerdict): ReplayedStep => ({
    ...base,
    ...verdict,
    executed: true,
    ...(verdict.status === "diverged" && !isJudged(planned) ? { expected: true } : {}),
  });
  if (outcome.kind === "failed" || (outcome.kind === "effect" && !outcome.applied)) {
    const { message } = outcome;
    // Only the log says that it failed, and its wording is the agent's own: that is not evidence of an equal
    // result. A reason why the call was not even tried is not the failure that was recorded.
    if (failedBefore && (outcome.kind === "effect" || wasTried(outcome)))
      return { step: toStep(failureVerdict(run, planned, outcome)) };
    if (outcome.kind === "effect")
      return { step: toStep({ status: "diverged", compared: "effect", message }) };
    return { step: { ...base, status: "failed", executed: false, reason: outcome.reason, message } };
  }
  if (outcome.kind === "effect") {
    const contradiction = contradictedEnd(step, { execution, exitCode: undefined });
    if (contradiction !== undefined)
      return { step: toStep({ status: "diverged", compared: "effect", message: contradiction }) };
    const effect = effects.byStep.get(step.index);
    const { verdict, open } = effectVerdict(run, effect);
    return { step: open === undefined ? toStep(verdict) : effects.open.add(toStep(verdict), open) };
  }
  const { exitCode } = outcome;
  const exit = exitCode === undefined ? {} : { exit_code: exitCode };
  const contradiction = contradictedEnd(step, { execution, exitCode });
  if (step.output_ref === undefined) {
    const verdict: StepVerdict =
      contradiction === undefined
        ? { status: "recorded", message: "no output is recorded" }
        : { status: "diverged", message: contradiction };
    return { step: { ...toStep(verdict), ...exit }, output: outcome.bytes };
  }
  const verdict = compareOutput(
    { ...outcome, compared },
    {
      reference: step.output_ref,
      read: () => readObject(run.store.root, hexOf(step.output_ref as Reference)),
    },
    {
      contradiction,
      rules: rulesFor(step.tool ?? "", execution, {
        configured: run.rules,
        agent: agentOf(run.manifest),
        hashes: effects.hashes,
        isCut: step.metadata?.["truncated"] === true,
        isUnordered: compared === "lines",
        workdir: run.visiblePath,
      }),
      difference: run.difference,
    },
  );
  const isSame = verdict.expected_hash === verdict.actual_hash;
  return { step: { ...toStep(verdict), ...exit }, ...(isSame ? {} : { output: outcome.bytes }) };
}
