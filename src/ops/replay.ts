// `ctx replay`: executes the recorded tool calls again, in a temporary workspace, and reports their fidelity.
import { toReference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import { appendAll } from "../base/lists.js";
import type { Manifest } from "../model/manifest.js";
import { outsideName } from "../model/names.js";
import { workdirOf } from "../model/manifest.js";
import { redactionOf } from "../redact/settings.js";
import { checkoutNeed } from "../replay/choose-repository.js";
import { outputDifference } from "../replay/differences.js";
import { environmentFacts } from "../replay/environment.js";
import { type ExecutedRun, executeSteps, readSpooled, type ReplayContext } from "../replay/execute.js";
import { coverageOf } from "../replay/coverage.js";
import { countSteps, fidelityOf, outputsOf } from "../replay/fidelity.js";
import { namesOutside, writeInputs } from "../replay/fill-workspace.js";
import type { Allowed, ReplayOptions } from "../replay/options.js";
import { agentOf } from "../replay/plan.js";
import { consentsOf, type PreparedReplay, prepare } from "../replay/prepare-plan.js";
import { type WorkspaceBase, writeBase } from "../replay/prepare-workspace.js";
import { chownSandboxDir, makeSandboxDir, removeSandboxDir } from "../replay/sandbox-dir.js";
import { sealReplay } from "../replay/seal.js";
import { Workspace } from "../replay/workspace.js";
import type { EnvironmentFact, ReplayReport } from "../results/replay.js";
import type { Store } from "../store/store.js";

export { planReplay, type PlanOptions } from "../replay/prepare-plan.js";
export type { Allowed, ReplayOptions };

export async function replay(store: Store, name: string, options: ReplayOptions): Promise<ReplayReport> {
  const prepared = prepare(store, name, options);
  options.onStart?.(prepared.plan);
  const last = lastStep(prepared.manifest, options);
  const allowed = await consent(prepared, options);
  const workdir = workdirOf(prepared.manifest);
  const box = makeSandboxDir({ temp: options.machine.temp, ...(workdir === undefined ? {} : { workdir }) });
  const workspace = new Workspace(box.workspace, box.visiblePath, {
    outside: namesOutside(prepared.manifest),
    outsideRoot: box.outside.folder,
    workdir,
  });
  for (const name of namesOutside(prepared.manifest)) box.outside.names.push(name.slice(outsideName.length));
  let isKept = false;
  try {
    const report = await run({
      store,
      prepared,
      box,
      workspace,
      options: { ...options, allowed, last },
      notices: unusedNames(prepared.manifest, options.recorded ?? []),
    });
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
  const requested = step ?? to;
  if (requested === undefined) return steps.length - 1;
  if (requested < steps.length) return requested;
  throw new CtxError("no-such-part", `there is no step ${requested}: the run has ${steps.length}`);
}

/** Returns what may run: the kinds in `allow`, and those that the user confirms through `ask`. */
async function consent(
  { plan, steps }: PreparedReplay,
  { allow = [], ask, tools, machine, sandbox }: ReplayOptions,
): Promise<Set<Allowed>> {
  const allowed = new Set(allow);
  const missing = consentsOf(steps).filter((kind) => !allowed.has(kind));
  if (missing.length === 0 || ask === undefined) return allowed;
  const { programsForCommands } = await import("../replay/user-programs.js");
  const hasNetwork = allowed.has("net");
  const visible = sandbox === false ? [] : programsForCommands(steps, tools, { ...machine, hasNetwork });
  // That the system's folders are visible is said anyway.
  const folders = visible.flatMap(({ folder }) => (folder === "/usr" ? [] : folder));
  for (const kind of ask(plan, missing, [...new Set(folders)])) allowed.add(kind);
  return allowed;
}

/** The filled workspace: what it was filled from, and how the inputs got there. */
interface FilledWorkspace extends WorkspaceBase {
  inputs: EnvironmentFact[];
}

async function run(context: ReplayContext): Promise<ReplayReport> {
  const filled = await fillWorkspace(context);
  const executed = await executeSteps({ ...context, hasBase: filled.from !== undefined });
  const report = buildReport(context, filled, executed);
  if (context.options.seal === true) report.sealed = seal(context, executed, report);
  return report;
}

async function fillWorkspace(context: ReplayContext): Promise<FilledWorkspace> {
  const { store, prepared, box, workspace, notices } = context;
  const base = await writeBase(context);
  if (base.from !== undefined) box.disk.resetBaseline();
  workspace.limitTo(box.disk);
  const inputs = writeInputs(store, prepared.manifest, { workspace, notices });
  await addDependenciesOf(context, base);
  // Files that `workspace` wrote already have the right owner; those of `writeBase` may not.
  if (base.from !== undefined) chownSandboxDir(box);
  return { ...base, inputs };
}

/** Adds the dependencies of the checkout that the user named, or that `auto` found. */
async function addDependenciesOf(
  { box, workspace, options, notices }: ReplayContext,
  { checkout }: WorkspaceBase,
): Promise<void> {
  const folder = options.deps ?? (options.auto === true ? checkout : undefined);
  if (folder === undefined) return;
  if (options.sandbox === false) {
    notices.push("the dependencies of the checkout are not in the workspace: that needs the sandbox");
    return;
  }
  if (options.deps === undefined && options.allowed.has("net")) {
    notices.push(
      "the dependencies of the checkout are left out, as commands have the network: --deps shows them",
    );
    return;
  }
  const { addDependencies } = await import("../replay/dependency-folders.js");
  const isNamed = options.deps !== undefined;
  appendAll(notices, addDependencies(folder, { box, workspace }, { isNamed, home: options.machine.home }));
}

function buildReport(
  { store, prepared, box, workspace, options, notices }: ReplayContext,
  { from, tree, inputs }: FilledWorkspace,
  { steps, end, versions, sandbox, setBack }: ExecutedRun,
): ReplayReport {
  const { hex, manifest, plan } = prepared;
  const machine = { ...options.machine, platform: process.platform, arch: process.arch };
  const reported = new Set(versions.map(({ name }) => name));
  const coverage = coverageOf(steps, manifest.steps, () => checkoutNeed(store, manifest, options));
  const found = {
    coverage,
    ...(options.step === undefined ? {} : { selected: options.step }),
    set_back: setBack,
    steps,
    outputs: outputsOf(end, {
      manifest,
      only: options.step,
      isImported: agentOf(manifest) !== undefined,
      difference: (reference, path) => outputDifference(store, reference, { workspace, path }),
    }),
    environment: [
      ...environmentFacts(manifest, machine).filter(
        ({ kind, name }) => kind !== "tool" || !reported.has(name),
      ),
      ...versions,
      ...inputs,
    ],
  };
  return {
    pack_hash: toReference(hex),
    title: plan.title,
    fidelity: fidelityOf(found, options.require),
    counts: countSteps(steps, manifest.steps, setBack.length),
    ...found,
    sandbox,
    workspace: {
      seen_as: box.visiblePath,
      ...(from === undefined ? {} : { from }),
      ...(box.note === undefined ? {} : { note: box.note }),
    },
    ...(tree === undefined ? {} : { tree }),
    ...(plan.origin === undefined ? {} : { origin: plan.origin }),
    notices,
  };
}

function seal(
  { store, prepared, workspace, options }: ReplayContext,
  { end, spooled }: ExecutedRun,
  report: ReplayReport,
): ReplayReport["sealed"] & {} {
  return sealReplay(
    store,
    {
      hex: prepared.hex,
      manifest: prepared.manifest,
      report,
      workspace,
      outputs: end.outputs,
      read: (index) => readSpooled(spooled.get(index)),
    },
    redactionOf(store, options),
  );
}

/** Returns a notice for each name in `recorded` that no step has, because it is probably misspelt. */
function unusedNames({ steps }: Manifest, recorded: readonly string[]): string[] {
  const used = new Set(steps.map(({ tool }) => tool));
  return recorded
    .filter((name) => name !== "*" && !used.has(name))
    .map((name) => `no step calls the tool "${name}" that --recorded names`);
}

/** Returns the exit status for the fidelity of a replay. */
export function replayStatus({ fidelity }: ReplayReport): 0 | 1 | 2 {
  return fidelity === "exact" ? 0 : fidelity === "degraded" ? 1 : 2;
}
