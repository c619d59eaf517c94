// Walks the steps of a run in order and executes each again. A step that fails does not stop the walk.
import { canonicalText } from "../base/json/canonical.js";
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { FailReason, ReplayedStep } from "../results/replay.js";
import { readObject } from "../store/objects.js";
import { effects as changes } from "../tools/table.js";
import { missingBefore, unlessMissing } from "./needs.js";
import { prepareUndo, type Undo } from "./trial.js";
import { effectsOf, OpenEffects, Unexecuted } from "./effects.js";
import { type Outcome, StepFailure } from "./outcome.js";
import { CommitHashes } from "./rules/git.js";
import type { ToolUse } from "../tools/tool-use.js";
import { wasTakenBack } from "./edit-window.js";
import { judgeOutcome, type StepEffects } from "./judge-outcome.js";
import type { WatchedOutput } from "./output-watch.js";
import { consentFor, type PlannedStep } from "./plan.js";
import { durationOf, hasFailed } from "./recorded-status.js";
import { runBuiltin } from "./run-builtin.js";
import type { StepRun } from "./step-run.js";

/** The state of the run's outputs at the end. */
export interface EndState {
  outputs: WatchedOutput[];
  unexecuted: Unexecuted;
}

const pauseAfter = 50;

export async function runSteps(run: StepRun): Promise<EndState> {
  const { plan, manifest, workspace, watch } = run;
  const effects: StepEffects = {
    byStep: effectsOf(plan, manifest, workspace),
    open: new OpenEffects(),
    hashes: new CommitHashes(),
  };
  const executed = new Set<number>();
  let lastPause = Date.now();
  let skipped: number | undefined;
  for (const planned of plan.slice(0, run.last + 1)) {
    // Built-in tools never await: let signals have their turn.
    if (Date.now() - lastPause > pauseAfter) {
      await new Promise(setImmediate);
      lastPause = Date.now();
    }
    run.signal?.throwIfAborted();
    run.resync?.before(planned);
    const { step: judged, output } = await runStep(run, planned, effects);
    const step = skipped === undefined ? judged : withDoubt(judged, skipped);
    if (mayHaveWritten(planned) && !step.executed && step.status === "failed") skipped = step.index;
    run.resync?.after(planned, step);
    if (step.executed && step.status !== "failed") executed.add(step.index);
    if (!run.onStep(step, output)) break;
  }
  const outputs = watch.finish();
  const unexecuted = new Unexecuted(plan, effects.byStep, executed);
  for (const step of effects.open.settled(watch, unexecuted)) run.onSettled(step);
  return { outputs, unexecuted };
}

/** Returns whether a step is a command that may have changed files in the run. */
function mayHaveWritten({ execution, classified, step }: PlannedStep): boolean {
  return execution.how === "command" && classified?.command?.mayWrite !== false && !hasFailed(step);
}

/** Returns a step that diverged with the command before it that was not executed, and may be the reason. */
function withDoubt(step: ReplayedStep, skipped: number): ReplayedStep {
  if (step.status !== "diverged" || step.message !== undefined) return step;
  return { ...step, message: `step ${skipped}, which may have changed it, was not executed` };
}

async function runStep(
  run: StepRun,
  planned: PlannedStep,
  effects: StepEffects,
): Promise<{ step: ReplayedStep; output?: Buffer }> {
  const { step, execution, classified } = planned;
  const base = {
    index: step.index,
    type: step.type,
    ...(step.tool === undefined ? {} : { tool: step.tool }),
    ...(classified === undefined ? {} : { class: classified.class }),
  };
  const failed = (reason: FailReason, message: string, needs?: string): { step: ReplayedStep } => ({
    step: {
      ...base,
      status: "failed",
      executed: false,
      reason,
      message,
      ...(needs === undefined ? {} : { needs }),
    },
  });
  if (execution.how === "recorded")
    return {
      step: {
        ...base,
        status: "recorded",
        executed: false,
        message: execution.why,
        ...(execution.byRequest === true ? { by_request: true } : {}),
      },
    };
  if (isMasked(run.manifest, step)) return failed("masked", "its parameters hold secrets that were masked");
  if (execution.how === "none") return failed("no_tool", execution.why);
  const consent = consentFor(execution);
  if (consent !== undefined && !run.allowed.has(consent))
    return failed("not_allowed", `--allow ${consent} lets it run`, `--allow ${consent}`);
  const missing = missingBefore(run, planned);
  if (missing !== undefined) return failed(missing.reason, missing.message, missing.name);
  const trial = isOnTrial(planned) ? prepareUndo(planned, run.workspace, run.spare) : "none";
  if (trial === undefined)
    return {
      step: {
        ...base,
        status: "recorded",
        executed: false,
        message: "it failed when it was recorded, and was not tried again: its changes could not be undone",
      },
    };
  const outcome = await executeWatched(run, planned, effects, trial === "none" ? undefined : trial);
  try {
    const judged = judgeOutcome(run, planned, outcome, base, effects);
    return { ...judged, step: unlessMissing(run, planned, judged.step, outcome) };
  } catch (error) {
    // If the record, or the result, cannot be read, nothing can be said about the step.
    if (error instanceof StepFailure) return failed(error.reason, error.message);
    if (error instanceof CtxError) return failed("error", error.message);
    throw error;
  }
}

/** Executes a step, and tracks what it does to the run's outputs. */
async function executeWatched(
  run: StepRun,
  planned: PlannedStep,
  { byStep }: StepEffects,
  trial: Undo | undefined,
): Promise<Outcome> {
  const { step, execution } = planned;
  const { watch } = run;
  // Moving or removing a folder also affects files that the call does not name.
  const changesAny =
    consentFor(execution) !== undefined ||
    (execution.how === "builtin" && ["move", "delete", "window"].includes(execution.use.action));
  if (changesAny) watch.beforeProgram();
  const outcome = await execute(run, planned);
  const isUndone = trial !== undefined && hasWorked(outcome);
  if (isUndone) trial.undo();
  else trial?.keep();
  if (changesAny) watch.afterProgram(step.index);
  const paths = byStep.get(step.index)?.paths;
  // A call that also failed in the recorded run did not have to change anything.
  if (!isUndone && paths !== undefined && outcome.kind === "effect" && (outcome.applied || !hasFailed(step)))
    watch.addChange(step.index, {
      paths,
      isWhole: execution.how === "builtin" && execution.use.action === "write",
      isApplied: outcome.applied,
    });
  return outcome;
}

async function execute(run: StepRun, { step, execution }: PlannedStep): Promise<Outcome> {
  const { workspace, programs } = run;
  const folder = asText(step.metadata?.["cwd"]);
  switch (execution.how) {
    case "builtin":
      return runBuiltin(workspace, asCarriedOut(run, step, execution.use), folder);
    case "command":
      return await programs.command(execution, { folder, duration: durationOf(step) });
    case "adapter":
      return await programs.adapter(execution.adapter, step.parameters);
    case "mcp":
      return await programs.mcp(execution, step.parameters);
    default:
      return { kind: "failed", reason: "no_tool", message: "nothing can execute it" };
  }
}

/** Returns the use without a change that the agent's editor took back, which the record of the call says. */
function asCarriedOut(run: StepRun, { output_ref }: Step, use: ToolUse): ToolUse {
  if (use.action !== "window" || use.change === undefined || output_ref === undefined) return use;
  try {
    const recorded = readObject(run.store.root, hexOf(output_ref)).toString("latin1");
    return wasTakenBack(recorded) ? { action: "window", path: use.path } : use;
  } catch (error) {
    // The record is read again when the output is compared, and then its damage is reported.
    if (error instanceof CtxError) return use;
    throw error;
  }
}

function hasWorked(outcome: Outcome): boolean {
  if (outcome.kind === "effect") return outcome.applied;
  return outcome.kind === "output" && (outcome.exitCode ?? 0) === 0;
}

/** Returns whether what a call does must be taken back if it works, since it failed in the recorded run. */
function isOnTrial({ step, execution, isImported }: PlannedStep): boolean {
  if (!hasFailed(step)) return false;
  return execution.how === "builtin"
    ? changes.has(execution.use.action)
    : isImported && execution.how === "command";
}

/** Returns whether a masked secret is among the parameters of the step. */
function isMasked({ metadata }: Manifest, { parameters }: Step): boolean {
  return metadata?.["redactions"] !== undefined && canonicalText(parameters).includes("[REDACTED:");
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
