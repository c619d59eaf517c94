// Walks the steps of a run in order and executes each again. A step that fails does not stop the walk.
import { canonicalText } from "../base/json/canonical.js";
import { hexOf, type Reference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { NormaliserRule } from "../model/config.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { FailReason, ReplayedStep } from "../results/replay.js";
import { readObject } from "../store/objects.js";
import { type Effect, effectsOf, effectVerdict, OpenEffects, Unexecuted, type Verdict } from "./effects.js";
import { type Outcome, StepFailure, wasTried } from "./outcome.js";
import { judgeOutput } from "./compare-output.js";
import { normalisersFor } from "./normalise.js";
import type { OutputWatch, Watched } from "./output-watch.js";
import { agentOf, type Consent, consentFor, type PlannedStep } from "./plan.js";
import type { Programs } from "./program-executors.js";
import { contradictedEnd, hasFailed } from "./recorded-end.js";
import { runBuiltin } from "./run-builtin.js";
import type { Workspace } from "./workspace.js";

export interface Walk {
  store: { root: string };
  manifest: Manifest;
  /** The whole plan, including steps after the last one that is executed. */
  plan: readonly PlannedStep[];
  /** The last step to execute. */
  last: number;
  workspace: Workspace;
  watch: OutputWatch;
  /** The path under which tools see the workspace. */
  seenAs: string;
  programs: Programs;
  allowed: ReadonlySet<Consent>;
  rules: readonly NormaliserRule[];
  difference: (expected: Buffer, actual: Buffer) => string | undefined;
  /** Called after each step, with its output if that is not the recorded one. False ends the walk. */
  onStep: (step: ReplayedStep, given: Buffer | undefined) => boolean;
  /** Called at the end for each step whose verdict depended on later steps, with the final verdict. */
  onSettled: (step: ReplayedStep) => void;
  signal?: AbortSignal | undefined;
}

/** The state of the run's outputs at the end. */
export interface EndState {
  outputs: Watched[];
  unexecuted: Unexecuted;
}

/** What is known about the run's effects during the walk. */
interface Effects {
  byStep: ReadonlyMap<number, Effect>;
  open: OpenEffects;
}

const restAfter = 50;

export async function runSteps(walk: Walk): Promise<EndState> {
  const { plan, manifest, workspace, watch } = walk;
  const effects: Effects = { byStep: effectsOf(plan, manifest, workspace), open: new OpenEffects() };
  const executed = new Set<number>();
  let rested = Date.now();
  for (const planned of plan.slice(0, walk.last + 1)) {
    // Built-in tools never await: let signals have their turn.
    if (Date.now() - rested > restAfter) {
      await new Promise(setImmediate);
      rested = Date.now();
    }
    walk.signal?.throwIfAborted();
    const { step, given } = await runStep(walk, planned, effects);
    if (step.executed) executed.add(step.index);
    if (!walk.onStep(step, given)) break;
  }
  const outputs = watch.finish();
  const unexecuted = new Unexecuted(plan, effects.byStep, executed);
  for (const step of effects.open.settled(watch, unexecuted)) walk.onSettled(step);
  return { outputs, unexecuted };
}

async function runStep(
  walk: Walk,
  planned: PlannedStep,
  effects: Effects,
): Promise<{ step: ReplayedStep; given?: Buffer }> {
  const { step, way } = planned;
  const base = {
    index: step.index,
    type: step.type,
    ...(step.tool === undefined ? {} : { tool: step.tool }),
  };
  const failed = (reason: FailReason, message: string): { step: ReplayedStep } => ({
    step: { ...base, status: "failed", executed: false, reason, message },
  });
  if (way.how === "recorded")
    return {
      step: {
        ...base,
        status: "recorded",
        executed: false,
        message: way.why,
        ...(way.byRequest === true ? { by_request: true } : {}),
      },
    };
  if (isMasked(walk.manifest, step)) return failed("masked", "its parameters hold secrets that were masked");
  if (way.how === "none") return failed("no_tool", way.why);
  const consent = consentFor(way);
  if (consent !== undefined && !walk.allowed.has(consent))
    return failed("not_allowed", `--allow ${consent} lets it run`);
  const outcome = await watched(walk, planned, effects);
  try {
    return judged(walk, planned, outcome, base, effects);
  } catch (error) {
    // If the record, or the result, cannot be read, nothing can be said about the step.
    if (error instanceof StepFailure) return failed(error.reason, error.message);
    if (error instanceof CtxError) return failed("error", error.message);
    throw error;
  }
}

/** Executes a step, and tracks what it does to the run's outputs. */
async function watched(walk: Walk, planned: PlannedStep, { byStep }: Effects): Promise<Outcome> {
  const { step, way } = planned;
  const { watch } = walk;
  // Moving or removing a folder also affects files that the call does not name.
  const changesAny =
    consentFor(way) !== undefined || (way.how === "builtin" && ["move", "delete"].includes(way.use.action));
  if (changesAny) watch.beforeAny();
  const outcome = await execute(walk, planned);
  if (changesAny) watch.afterAny(step.index);
  const paths = byStep.get(step.index)?.paths;
  // A call that also failed in the recorded run did not have to change anything.
  if (paths !== undefined && outcome.kind === "effect" && (outcome.applied || !hasFailed(step)))
    watch.changed(step.index, {
      paths,
      isWhole: way.how === "builtin" && way.use.action === "write",
      isApplied: outcome.applied,
    });
  return outcome;
}

async function execute({ workspace, programs }: Walk, { step, way }: PlannedStep): Promise<Outcome> {
  const folder = textOf(step.metadata?.["cwd"]);
  switch (way.how) {
    case "builtin":
      return runBuiltin(workspace, way.use, folder);
    case "command":
      return await programs.command(way, folder);
    case "adapter":
      return await programs.adapter(way.adapter, step.parameters);
    case "mcp":
      return await programs.mcp(way, step.parameters);
    default:
      return { kind: "failed", reason: "no_tool", message: "nothing can execute it" };
  }
}

function judged(
  walk: Walk,
  { step, way, compared }: PlannedStep,
  outcome: Outcome,
  base: Pick<ReplayedStep, "index" | "type" | "tool">,
  effects: Effects,
): { step: ReplayedStep; given?: Buffer } {
  const failedBefore = hasFailed(step);
  const mark = (verdict: Verdict): ReplayedStep => ({
    ...base,
    ...verdict,
    executed: true,
    ...(verdict.status === "diverged" && !step.deterministic ? { expected: true } : {}),
  });
  if (outcome.kind === "failed" || (outcome.kind === "effect" && !outcome.applied)) {
    const { message } = outcome;
    // Only the log says that it failed, and its wording is the agent's own: that is not evidence of an equal
    // result. A reason why the call was not even tried is not the failure that was recorded.
    if (failedBefore && (outcome.kind === "effect" || wasTried(outcome)))
      return {
        step: mark({
          status: "recorded",
          message: `failed then and now; texts were not compared: ${message}`,
        }),
      };
    if (outcome.kind === "effect") return { step: mark({ status: "diverged", compared: "effect", message }) };
    return { step: { ...base, status: "failed", executed: false, reason: outcome.reason, message } };
  }
  if (outcome.kind === "effect") {
    const end = contradictedEnd(step, { way, exitCode: undefined });
    if (end !== undefined) return { step: mark({ status: "diverged", compared: "effect", message: end }) };
    const effect = effects.byStep.get(step.index);
    const { verdict, open } = effectVerdict(walk, effect);
    return { step: open === undefined ? mark(verdict) : effects.open.add(mark(verdict), open) };
  }
  const { exitCode } = outcome;
  const exit = exitCode === undefined ? {} : { exit_code: exitCode };
  const end = contradictedEnd(step, { way, exitCode });
  if (step.output_ref === undefined) {
    const verdict: Verdict =
      end === undefined
        ? { status: "recorded", message: "no output is recorded" }
        : { status: "diverged", message: end };
    return { step: { ...mark(verdict), ...exit }, given: outcome.bytes };
  }
  const verdict = judgeOutput(
    { ...outcome, compared },
    {
      reference: step.output_ref,
      read: () => readObject(walk.store.root, hexOf(step.output_ref as Reference)),
    },
    {
      contradicted: end,
      normalisers: normalisersFor(step.tool ?? "", way, { rules: walk.rules, agent: agentOf(walk.manifest) }),
      workdir: walk.seenAs,
      difference: walk.difference,
    },
  );
  const isSame = verdict.expected_hash === verdict.actual_hash;
  return { step: { ...mark(verdict), ...exit }, ...(isSame ? {} : { given: outcome.bytes }) };
}

/** Returns whether a masked secret is among the parameters of the step. */
function isMasked({ metadata }: Manifest, { parameters }: Step): boolean {
  return metadata?.["redactions"] !== undefined && canonicalText(parameters).includes("[REDACTED:");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
