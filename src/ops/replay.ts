// `ctx replay`: executes the recorded tool calls again, in a temporary workspace, and reports their fidelity.
import * as fs from "node:fs";
import { join } from "node:path";
import { toReference } from "../base/digest.js";
import { asIoError, CtxError, withPath } from "../base/errors.js";
import { appendAll } from "../base/lists.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { EnvironmentFact, ReplayedStep, ReplayReport } from "../results/replay.js";
import {
  type SandboxDir,
  makeSandboxDir,
  removeSandboxDir,
  settleSandboxDir,
} from "../replay/sandbox-dir.js";
import { adapterFact, environmentFacts } from "../replay/environment.js";
import { StepFailure } from "../replay/outcome.js";
import { layInputs, namesOutside } from "../replay/fill-workspace.js";
import { OutputWatch } from "../replay/output-watch.js";
import { consents, type PlannedStep } from "../replay/plan.js";
import { workdirOf } from "../model/workdir.js";
import type { Programs } from "../replay/program-executors.js";
import { type EndState, runSteps } from "../replay/run-steps.js";
import { Workspace } from "../replay/workspace.js";
import { countsOf, fidelityOf, outputsOf } from "../replay/fidelity.js";
import type { Store } from "../store/store.js";
import { layGround } from "../replay/prepare-workspace.js";
import { consentsOf, type Prepared, prepare, runsCommands } from "../replay/prepare-plan.js";
import { redactionOf } from "../redact/settings.js";
import type { Allowed, ReplayOptions } from "../replay/options.js";
import { difference, outputDifference } from "../replay/differences.js";
import { sealReplay } from "../replay/seal.js";

export type { PlanOptions } from "../replay/prepare-plan.js";
export type { Allowed, ReplayOptions };

export async function replay(store: Store, name: string, options: ReplayOptions): Promise<ReplayReport> {
  const prepared = prepare(store, name, options);
  options.onStart?.(prepared.plan);
  const last = lastStep(prepared.manifest, options);
  const allowed = consent(prepared, options);
  const workdir = workdirOf(prepared.manifest);
  const box = makeSandboxDir({ temp: options.machine.temp, ...(workdir === undefined ? {} : { workdir }) });
  const workspace = new Workspace(box.workspace, box.seenAs, namesOutside(prepared.manifest));
  let isKept = false;
  try {
    const report = await run(store, prepared, { box, workspace }, { ...options, allowed, last });
    isKept = options.keep === true;
    return isKept ? { ...report, workspace: { ...report.workspace, kept: box.workspace } } : report;
  } catch (error) {
    throw asIoError(error);
  } finally {
    workspace.close();
    if (!isKept) removeSandboxDir(box);
  }
}

function lastStep({ steps }: Manifest, { to, step }: ReplayOptions): number {
  const asked = step ?? to;
  if (asked === undefined) return steps.length - 1;
  if (asked < steps.length) return asked;
  throw new CtxError("no-such-part", `there is no step ${asked}: the run has ${steps.length}`);
}

/** Returns what may run: the kinds in `allow`, and those that the user confirms through `ask`. */
function consent({ plan, steps }: Prepared, { allow = [], ask }: ReplayOptions): Set<Allowed> {
  const allowed = new Set(allow);
  const missing = consentsOf(steps).filter((kind) => !allowed.has(kind));
  if (missing.length > 0 && ask !== undefined) for (const kind of ask(plan, missing)) allowed.add(kind);
  return allowed;
}

async function run(
  store: Store,
  { hex, manifest, steps: planned, programs: config, plan: { origin } }: Prepared,
  { box, workspace }: { box: SandboxDir; workspace: Workspace },
  options: ReplayOptions & { allowed: Set<Allowed>; last: number },
): Promise<ReplayReport> {
  const { machine, allowed } = options;
  const notices = unusedNames(manifest, options.recorded ?? []);
  const from = await layGround(store, manifest, { box, workspace, options, notices });
  if (from !== undefined) box.disk.startAgain();
  workspace.limitTo(box.disk);
  const inputs = layInputs(store, manifest, { workspace, notices });
  // Files that `workspace` wrote already have the right owner; those of `layGround` may not.
  if (from !== undefined) settleSandboxDir(box);
  const programs = await programsFor(planned, { box, workspace, options, bounds: config.bounds });
  const steps: ReplayedStep[] = [];
  const versions: EnvironmentFact[] = [];
  const given = new Map<number, string>();
  const tell = (step: ReplayedStep): void =>
    options.onStep?.(step, manifest.steps[step.index] as Step, {
      steps: manifest.steps.length,
      seenAs: box.seenAs,
    });
  let end: EndState;
  try {
    end = await runSteps({
      store,
      manifest,
      plan: planned,
      last: options.last,
      workspace,
      watch: new OutputWatch(workspace, manifest.outputs, planned.length),
      seenAs: box.seenAs,
      programs,
      allowed: new Set(consents.filter((kind) => allowed.has(kind))),
      rules: config.usable.normalise ?? [],
      difference,
      signal: options.signal,
      onStep: (step, bytes) => {
        // Only one step was requested: of the steps before it, only failures are reported.
        if (options.step !== undefined && step.index !== options.step) {
          if (step.status === "failed")
            notices.push(`step ${step.index} could not be executed, which may matter: ${step.message ?? ""}`);
          return true;
        }
        steps.push(step);
        if (bytes !== undefined && options.seal === true)
          given.set(step.index, spool(box, step.index, bytes));
        tell(step);
        return !(options.stopOnDivergence === true && step.status === "diverged" && step.expected !== true);
      },
      onSettled: (step) => {
        const at = options.step === undefined ? step.index : 0;
        if (steps[at]?.index !== step.index) return;
        steps[at] = step;
        tell(step);
      },
    });
    appendAll(
      versions,
      await versionsOf(planned.slice(0, options.last + 1), manifest, {
        programs,
        isAllowed: allowed.has("adapters"),
      }),
    );
  } finally {
    await programs.close();
  }
  const told = new Set(versions.map(({ name }) => name));
  const facts = [
    ...environmentFacts(manifest, { ...machine, platform: process.platform, arch: process.arch }).filter(
      ({ kind, name }) => kind !== "tool" || !told.has(name),
    ),
    ...versions,
    ...inputs,
  ];
  const sandbox = programs.sandbox();
  const outputs = outputsOf(end, {
    manifest,
    only: options.step,
    difference: (reference, path) => outputDifference(store, reference, { workspace, path }),
  });
  const found = { steps, outputs, environment: facts };
  const report: ReplayReport = {
    pack_hash: toReference(hex),
    fidelity: fidelityOf(found, (index) => manifest.steps[index]?.deterministic === true),
    counts: countsOf(steps, manifest.steps),
    ...found,
    sandbox: {
      kind: sandbox?.kind ?? "none",
      ...(sandbox?.kind === "bwrap" ? { version: sandbox.version } : {}),
      network: programs.hadNetwork(),
    },
    workspace: {
      seen_as: box.seenAs,
      ...(from === undefined ? {} : { from }),
      ...(box.note === undefined ? {} : { note: box.note }),
    },
    ...(origin === undefined ? {} : { origin }),
    notices,
  };
  if (options.seal === true)
    report.sealed = sealReplay(
      store,
      {
        hex,
        manifest,
        report,
        workspace,
        outputs: end.outputs,
        read: (index) => readSpooled(given.get(index)),
      },
      redactionOf(store, options),
    );
  return report;
}

/** Returns the executors of programs. If no program may run, their code is not even loaded. */
async function programsFor(
  planned: readonly PlannedStep[],
  {
    box,
    workspace,
    options,
    bounds,
  }: {
    box: SandboxDir;
    workspace: Workspace;
    options: ReplayOptions & { allowed: Set<Allowed>; last: number };
    bounds: Prepared["programs"]["bounds"];
  },
): Promise<Programs> {
  const { allowed, machine, signal } = options;
  if (!consentsOf(planned).some((kind) => allowed.has(kind))) return noPrograms;
  const { openPrograms } = await import("../replay/program-executors.js");
  return openPrograms(box, workspace, {
    sandboxed: options.sandbox !== false,
    network: allowed.has("net"),
    mcpWrites: allowed.has("mcp-writes"),
    // In a replay that runs commands, no program with a secret or network access may run, unless `together`
    // was allowed by name.
    runsCommands:
      allowed.has("exec") && !allowed.has("together") && runsCommands(planned.slice(0, options.last + 1)),
    bounds,
    ...machine,
    signal,
  });
}

const refused = { kind: "failed", reason: "not_allowed", message: "no program may run" } as const;

const noPrograms: Programs = {
  command: () => Promise.resolve(refused),
  adapter: () => Promise.resolve(refused),
  mcp: () => Promise.resolve(refused),
  version: () => Promise.resolve(undefined),
  sandbox: () => undefined,
  hadNetwork: () => false,
  close: () => Promise.resolve(),
};

/** Returns a notice for each name in `recorded` that no step has, because it is probably misspelt. */
function unusedNames({ steps }: Manifest, recorded: readonly string[]): string[] {
  const used = new Set(steps.map(({ tool }) => tool));
  return recorded
    .filter((name) => name !== "*" && !used.has(name))
    .map((name) => `no step calls a tool "${name}", as --recorded has it`);
}

/** Returns the versions that the used adapters report. */
async function versionsOf(
  planned: readonly PlannedStep[],
  manifest: Manifest,
  { programs, isAllowed }: { programs: Programs; isAllowed: boolean },
): Promise<EnvironmentFact[]> {
  const facts: EnvironmentFact[] = [];
  const asked = new Set<string>();
  for (const { step, way } of isAllowed ? planned : []) {
    const name = step.tool ?? "";
    if (way.how !== "adapter" || way.adapter.version === undefined || asked.has(name)) continue;
    asked.add(name);
    facts.push(adapterFact(name, manifest, await programs.version(way.adapter)));
  }
  return facts;
}

/** Writes the output of a step to a file beside the workspace, so that memory does not grow with the run. */
function spool(box: SandboxDir, index: number, bytes: Buffer): string {
  const path = join(box.folder, `given-${index}`);
  try {
    box.disk.take(bytes.length);
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    throw new CtxError("too-large", `what step ${index} gave cannot be kept for --seal: ${error.message}`);
  }
  withPath(path, "write", () => fs.writeFileSync(path, bytes));
  return path;
}

function readSpooled(path: string | undefined): Buffer | undefined {
  return path === undefined ? undefined : withPath(path, "read", () => fs.readFileSync(path));
}

/** Returns the exit status for the fidelity of a replay. */
export function replayStatus({ fidelity }: ReplayReport): 0 | 1 | 2 {
  return fidelity === "exact" ? 0 : fidelity === "degraded" ? 1 : 2;
}
