// Walks the steps of a run in order and executes each again. A step that fails does not stop the walk.
import { canonicalText } from "../base/canonical.js";
import { hexOf, type Reference, sha256, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { NormaliserRule } from "../model/config.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { FailReason, ReplayedStep } from "../model/replay.js";
import { readObject } from "../store/objects.js";
import { type Outcome, StepFailure } from "./executor.js";
import { judgeOutput } from "./judge.js";
import { normalisersFor } from "./normalise.js";
import { touchedBy } from "../model/tools.js";
import { type Consent, consentFor, type PlannedStep } from "./plan.js";
import type { Programs } from "./programs.js";
import { runBuiltin } from "./run-builtin.js";
import type { Tree } from "./tree.js";

export interface Walk {
  store: { root: string };
  manifest: Manifest;
  /** All of it, also what comes after the last step that is executed. */
  plan: readonly PlannedStep[];
  /** The last step that is executed. */
  last: number;
  tree: Tree;
  /** As tools see the workspace. */
  seenAs: string;
  programs: Programs;
  allowed: ReadonlySet<Consent>;
  rules: readonly NormaliserRule[];
  difference: (expected: Buffer, actual: Buffer) => string | undefined;
  /** Told of each step as it happens; what it gave, where that is not what is recorded. False ends the walk. */
  onStep: (step: ReplayedStep, given: Buffer | undefined) => boolean;
  signal?: AbortSignal | undefined;
}

const restAfter = 50;

export async function runSteps(walk: Walk): Promise<void> {
  const finals = finalEffects(walk);
  let rested = Date.now();
  for (const planned of walk.plan.slice(0, walk.last + 1)) {
    // Built-in tools never wait: a signal must get its turn.
    if (Date.now() - rested > restAfter) {
      await new Promise(setImmediate);
      rested = Date.now();
    }
    walk.signal?.throwIfAborted();
    const { step, given } = await runStep(walk, planned, finals);
    if (!walk.onStep(step, given)) return;
  }
}

async function runStep(
  walk: Walk,
  planned: PlannedStep,
  finals: ReadonlyMap<number, Final[]>,
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
  const outcome = await execute(walk, planned);
  try {
    return judged(walk, planned, outcome, base, finals.get(step.index) ?? []);
  } catch (error) {
    // What is recorded, or what came of it, cannot be read: then nothing can be said about it.
    if (error instanceof StepFailure) return failed(error.reason, error.message);
    if (error instanceof CtxError) return failed("error", error.message);
    throw error;
  }
}

async function execute({ tree, programs }: Walk, { step, way }: PlannedStep): Promise<Outcome> {
  const folder = textOf(step.metadata?.["cwd"]);
  switch (way.how) {
    case "builtin":
      return runBuiltin(tree, way.use, folder);
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
  finals: readonly Final[],
): { step: ReplayedStep; given?: Buffer } {
  const failedBefore = step.metadata?.["status"] === "error";
  const mark = (verdict: Omit<ReplayedStep, "index" | "type" | "tool" | "executed">): ReplayedStep => ({
    ...base,
    ...verdict,
    executed: true,
    ...(verdict.status === "diverged" && !step.deterministic ? { expected: true } : {}),
  });
  if (outcome.kind === "failed" || (outcome.kind === "effect" && !outcome.applied)) {
    const { message } = outcome;
    // What kept it from being tried at all is not the failure that was recorded.
    const wasTried =
      outcome.kind === "effect" ||
      (["missing_input", "error"].includes(outcome.reason) && outcome.atLimit !== true);
    if (failedBefore && wasTried)
      return {
        step: mark({ status: "matched", compared: "effect", message: `failed, as recorded: ${message}` }),
      };
    if (outcome.kind === "effect") return { step: mark({ status: "diverged", compared: "effect", message }) };
    return { step: { ...base, status: "failed", executed: false, reason: outcome.reason, message } };
  }
  if (outcome.kind === "effect") {
    if (failedBefore)
      return {
        step: mark({ status: "diverged", compared: "effect", message: "it failed then, and did not now" }),
      };
    return { step: mark(effectVerdict(walk, finals)) };
  }
  if (step.output_ref === undefined)
    return {
      step: { ...base, status: "recorded", executed: true, message: "no output is recorded" },
      given: outcome.bytes,
    };
  const verdict = judgeOutput(
    { ...outcome, compared },
    {
      reference: step.output_ref,
      read: () => readObject(walk.store.root, hexOf(step.output_ref as Reference)),
      exitCode: exitOf(step),
    },
    {
      normalisers: normalisersFor(step.tool ?? "", way, walk.rules),
      workdir: walk.seenAs,
      difference: walk.difference,
    },
  );
  const exit = outcome.exitCode === undefined ? {} : { exit_code: outcome.exitCode };
  const isSame = verdict.expected_hash === verdict.actual_hash;
  return { step: { ...mark(verdict), ...exit }, ...(isSame ? {} : { given: outcome.bytes }) };
}

/** A file that no later step changes, and the output of the run that it should then be. */
interface Final {
  path: string;
  reference: Reference;
}

/** The effect was applied; where the run's outputs say what came of it, that is compared. */
function effectVerdict(
  { store, tree, difference }: Walk,
  finals: readonly Final[],
): Omit<ReplayedStep, "index" | "type" | "tool" | "executed"> {
  let last = {};
  for (const { path, reference } of finals) {
    const actual = tree.stat(path) === undefined ? undefined : tree.read(path);
    const hash = actual === undefined ? undefined : toReference(sha256(actual));
    last = { expected_hash: reference, ...(hash === undefined ? {} : { actual_hash: hash }) };
    if (hash === reference) continue;
    const diff =
      actual === undefined ? undefined : difference(readObject(store.root, hexOf(reference)), actual);
    return {
      status: "diverged",
      compared: "effect",
      ...last,
      message: `${path} is not what the run's output of that name is`,
      ...(diff === undefined ? {} : { diff }),
    };
  }
  return { status: "matched", compared: "effect", ...last };
}

/**
 * The steps after which a file is what the run gave out under its name: the last one that touches it, unless a program
 * runs later, which might touch it too.
 */
function finalEffects({ plan, manifest, tree }: Walk): Map<number, Final[]> {
  const outputs = new Map(manifest.outputs.map(({ name, content_ref }) => [name, content_ref]));
  const found = new Map<number, Final[]>();
  const seen = new Set<string>();
  for (const { step, way } of plan.toReversed()) {
    if (consentFor(way) !== undefined) return found;
    if (way.how !== "builtin") continue;
    const finals = touchedBy(way.use).flatMap((given): Final[] => {
      const path = locatedIn(tree, given, textOf(step.metadata?.["cwd"]));
      if (path === undefined || seen.has(path)) return [];
      seen.add(path);
      const reference = outputs.get(path);
      return reference === undefined ? [] : [{ path, reference }];
    });
    if (finals.length > 0) found.set(step.index, finals);
  }
  return found;
}

function locatedIn(tree: Tree, path: string, folder: string | undefined): string | undefined {
  try {
    return tree.locate(path, folder);
  } catch {
    return undefined;
  }
}

/** Whether what was masked in the log is what the step would be called with. */
function isMasked({ metadata }: Manifest, { parameters }: Step): boolean {
  return metadata?.["redactions"] !== undefined && canonicalText(parameters).includes("[REDACTED:");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function exitOf({ metadata }: Step): number | undefined {
  const code = metadata?.["exit_code"];
  return typeof code === "number" ? code : undefined;
}
