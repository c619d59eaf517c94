// Executes the steps of a prepared replay: which programs may run, what is reported while they do, and which
// outputs are kept for `--seal`.
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError, withPath } from "../base/errors.js";
import { addTo, someOf } from "../base/lists.js";
import type { Step } from "../model/manifest.js";
import type { EnvironmentFact, ReplayedStep, ReplayReport, SetBack } from "../results/replay.js";
import type { Store } from "../store/store.js";
import { difference } from "./differences.js";
import { adapterFact } from "./environment.js";
import type { Allowed, ReplayOptions } from "./options.js";
import { StepFailure } from "./outcome.js";
import { OutputWatch } from "./output-watch.js";
import { agentOf, consents } from "./plan.js";
import { consentsOf, type PreparedReplay, runsCommands } from "./prepare-plan.js";
import type { ProgramExecutors } from "./program-executors.js";
import { type EndState, runSteps } from "./run-steps.js";
import { Resync } from "./resync.js";
import type { SandboxDir } from "./sandbox-dir.js";
import type { Workspace } from "./workspace.js";

/** What every part of one replay works on. */
export interface ReplayContext {
  store: Store;
  prepared: PreparedReplay;
  box: SandboxDir;
  workspace: Workspace;
  options: ReplayOptions & { allowed: Set<Allowed>; last: number };
  /** Notices for the user, one line each. */
  notices: string[];
}

interface ExecuteContext extends ReplayContext {
  /** Whether the workspace has the files of a folder or a revision, besides the inputs. */
  hasBase: boolean;
}

/** What became of the steps. */
export interface ExecutedRun {
  steps: ReplayedStep[];
  end: EndState;
  /** The files that hold outputs which are not the recorded ones, by step. */
  spooled: Map<number, string>;
  /** The files that were set back to the record. */
  setBack: SetBack[];
  /** Versions that adapters report. */
  versions: EnvironmentFact[];
  sandbox: ReplayReport["sandbox"];
}

/** Executes the steps, up to the last one that was requested. */
export async function executeSteps(context: ExecuteContext): Promise<ExecutedRun> {
  const { store, prepared, box, workspace, options, notices, hasBase } = context;
  const { manifest, steps: planned, programs: config } = prepared;
  const programs = await programsFor(context);
  const steps: ReplayedStep[] = [];
  const spooled = new Map<number, string>();
  const setBack: SetBack[] = [];
  const failedBefore = new Map<string, number[]>();
  const report = (step: ReplayedStep): void =>
    options.onStep?.(step, manifest.steps[step.index] as Step, {
      steps: manifest.steps.length,
      visiblePath: box.visiblePath,
    });
  const watch = new OutputWatch(workspace, manifest.outputs, planned.length);
  const agent = agentOf(manifest);
  const resync =
    agent === undefined || options.resync === false
      ? undefined
      : new Resync({
          root: store.root,
          manifest,
          workspace,
          watch,
          agent,
          onSetBack: (each) => setBack.push(each),
        });
  try {
    const end = await runSteps({
      store,
      manifest,
      plan: planned,
      last: options.last,
      workspace,
      watch,
      resync,
      visiblePath: box.visiblePath,
      hasBase,
      spare: join(box.folder, "undo"),
      programs,
      allowed: new Set(consents.filter((kind) => options.allowed.has(kind))),
      rules: config.usable.normalise ?? [],
      difference,
      signal: options.signal,
      onStep: (step, output) => {
        // Only one step was requested: of the steps before it, only failures are reported.
        if (options.step !== undefined && step.index !== options.step) {
          if (step.status === "failed") addTo(failedBefore, step.message ?? "", step.index);
          return true;
        }
        steps.push(step);
        if (output !== undefined && options.seal === true)
          spooled.set(step.index, spool(box, step.index, output));
        report(step);
        return !(options.stopOnDivergence === true && step.status === "diverged" && step.expected !== true);
      },
      onSettled: (step) => {
        const at = options.step === undefined ? step.index : 0;
        if (steps[at]?.index !== step.index) return;
        steps[at] = step;
        report(step);
      },
    });
    for (const [message, indexes] of failedBefore) {
      const which = indexes.length === 1 ? "step" : "steps";
      notices.push(
        `${which} ${someOf(indexes.map(String), 5)} could not be executed, which may matter: ${message}`,
      );
    }
    const isInBash = planned.some(
      ({ step, execution }) =>
        execution.how === "command" &&
        execution.isZsh === true &&
        steps.some(({ index, executed }) => executed && index === step.index),
    );
    if (isInBash && !programs.isThere("zsh"))
      notices.push("the run's commands ran in zsh, which is not here: bash ran them");
    const versions = await adapterVersions(context, programs);
    const sandbox = programs.sandbox();
    return {
      steps,
      end,
      spooled,
      setBack,
      versions,
      sandbox: {
        kind: sandbox?.kind ?? "none",
        ...(sandbox?.kind === "bwrap" ? { version: sandbox.version } : {}),
        network: programs.hadNetwork(),
      },
    };
  } finally {
    await programs.close();
  }
}

/** Returns the executors of programs. If no program may run, their code is not even loaded. */
async function programsFor({ prepared, box, workspace, options }: ReplayContext): Promise<ProgramExecutors> {
  const { allowed, machine, signal } = options;
  const { steps, programs } = prepared;
  if (!consentsOf(steps).some((kind) => allowed.has(kind))) return noPrograms;
  const { StartedPrograms } = await import("./program-executors.js");
  const { programsForCommands } = await import("./user-programs.js");
  return new StartedPrograms(box, workspace, {
    toolchains: [
      ...programsForCommands(steps, options.tools, {
        ...machine,
        user: box.user,
        hasNetwork: allowed.has("net"),
      }),
      ...box.caches.map(({ folder }) => ({ folder })),
    ],
    variables: Object.fromEntries(box.caches.flatMap(({ variables }) => Object.entries(variables))),
    sandboxed: options.sandbox !== false,
    network: allowed.has("net"),
    mcpWrites: allowed.has("mcp-writes"),
    // In a replay that runs commands, no program with a secret or network access may run, unless `together`
    // was allowed by name.
    runsCommands:
      allowed.has("exec") && !allowed.has("together") && runsCommands(steps.slice(0, options.last + 1)),
    bounds: programs.bounds,
    ...machine,
    signal,
  });
}

const refused = { kind: "failed", reason: "not_allowed", message: "no program may run" } as const;

const noPrograms: ProgramExecutors = {
  command: () => Promise.resolve(refused),
  adapter: () => Promise.resolve(refused),
  mcp: () => Promise.resolve(refused),
  version: () => Promise.resolve(undefined),
  isThere: () => true,
  sandbox: () => undefined,
  hadNetwork: () => false,
  close: () => Promise.resolve(),
};

/** Returns the versions that the used adapters report. */
async function adapterVersions(
  { prepared: { manifest, steps }, options }: ReplayContext,
  programs: ProgramExecutors,
): Promise<EnvironmentFact[]> {
  const facts = new Map<string, EnvironmentFact>();
  if (!options.allowed.has("adapters")) return [];
  for (const { step, execution } of steps.slice(0, options.last + 1)) {
    const name = step.tool ?? "";
    if (execution.how !== "adapter" || execution.adapter.version === undefined || facts.has(name)) continue;
    facts.set(name, adapterFact(name, manifest, await programs.version(execution.adapter)));
  }
  return [...facts.values()];
}

/** Writes the output of a step to a file beside the workspace, so that memory does not grow with the run. */
function spool(box: SandboxDir, index: number, bytes: Buffer): string {
  const path = join(box.folder, `output-${index}`);
  try {
    box.disk.reserve(bytes.length);
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    throw new CtxError(
      "too-large",
      `the output of step ${index} cannot be kept for --seal: ${error.message}`,
    );
  }
  withPath(path, "write", () => fs.writeFileSync(path, bytes));
  return path;
}

export function readSpooled(path: string | undefined): Buffer | undefined {
  return path === undefined ? undefined : withPath(path, "read", () => fs.readFileSync(path));
}
