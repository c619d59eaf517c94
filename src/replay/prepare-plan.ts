// Prepares what a replay needs to know before anything runs: the run, its plan, and the consent that the plan
// needs.
import { toReference } from "../base/digest.js";
import { privilegesOf, programInfo } from "../model/config.js";
import type { Manifest } from "../model/manifest.js";
import type { ReplayPlan, StepClass } from "../results/replay.js";
import { workdirOf } from "../model/manifest.js";
import { mountPoint } from "./sandbox-dir.js";
import { recordedRemote } from "./recorded-remote.js";
import { mayNeedFiles } from "./needs.js";
import { type Consent, consentFor, type PlannedStep, planSteps, type Execution } from "./plan.js";
import { recordedText } from "./recorded-text.js";
import { knownOrigin } from "../verify/origin.js";
import { type ConfiguredPrograms, readPrograms, type UserPaths } from "../store/config.js";
import { readPack } from "../store/packs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { titleFor } from "../store/titles.js";

export interface PlanOptions {
  /** Where the user's own settings are. */
  user: UserPaths;
  /** Tools whose recorded output is kept; `*` for all that cannot run. */
  recorded?: readonly string[];
}

export interface PreparedReplay {
  hex: string;
  manifest: Manifest;
  steps: PlannedStep[];
  programs: ConfiguredPrograms;
  plan: ReplayPlan;
}

/** Returns what `ctx replay` would do with a pack. Executes nothing. */
export function planReplay(store: Store, name: string, options: PlanOptions): ReplayPlan {
  return prepare(store, name, options).plan;
}

export function prepare(store: Store, name: string, options: PlanOptions): PreparedReplay {
  const hex = resolvePack(store, name);
  const { manifest } = readPack(store.root, hex);
  const programs = readPrograms(store, options.user);
  const steps = planSteps(manifest, {
    programs: programs.usable,
    untrusted: programs.untrusted,
    ...(programs.why === undefined ? {} : { why: programs.why }),
    recorded: options.recorded ?? [],
    textOf: (step) => recordedText(store.root, step),
  });
  const origin = knownOrigin(store, manifest);
  const plan = { ...planOf(hex, manifest, steps, programs), title: titleFor(store.root, hex, manifest) };
  return { hex, manifest, steps, programs, plan: origin === undefined ? plan : { ...plan, origin } };
}

/** Returns the kinds of programs that a plan would run. */
export function consentsOf(steps: readonly PlannedStep[]): Consent[] {
  return [...new Set(steps.flatMap(({ execution }) => consentFor(execution) ?? []))];
}

/** Returns whether commands of the pack are among the steps. */
export function runsCommands(steps: readonly PlannedStep[]): boolean {
  return steps.some(({ execution }) => execution.how === "command");
}

/**
 * Returns whether a step's program has a secret or the network, and so runs beside the pack's commands only
 * on request.
 */
function isPrivileged({ execution }: PlannedStep): boolean {
  const config =
    execution.how === "adapter" ? execution.adapter : execution.how === "mcp" ? execution.config : undefined;
  return config !== undefined && privilegesOf(config) !== undefined;
}

function planOf(
  hex: string,
  manifest: Manifest,
  steps: PlannedStep[],
  programs: ConfiguredPrograms,
): Omit<ReplayPlan, "title"> {
  const { path, note } = mountPoint(workdirOf(manifest));
  const isMixed = runsCommands(steps) && steps.some(isPrivileged);
  const consents = [...consentsOf(steps), ...(isMixed ? ["together"] : [])];
  return {
    pack_hash: toReference(hex),
    steps: steps.length,
    groups: groupsOf(steps),
    ...checkoutOf(manifest, steps),
    classes: classesOf(steps),
    commands: counted(steps.flatMap(({ execution }) => (execution.how === "command" ? execution.line : []))),
    adapters: programsOf(steps, "adapter", (execution, tool) => ({
      tool,
      ...programInfo(execution.adapter),
    })),
    servers: programsOf(steps, "mcp", ({ server, config }) => ({ server, ...programInfo(config) })),
    workspace: {
      inputs: manifest.inputs.length,
      seen_as: path,
      ...(note === undefined ? {} : { note }),
    },
    untrusted: programs.untrusted,
    ...(programs.why === undefined ? {} : { untrusted_why: programs.why }),
    options: [...(consents.length === 0 ? [] : [`--allow ${consents.join(",")}`]), ...recordedOptions(steps)],
  };
}

/**
 * Returns the options that keep the records of tools that cannot be executed. A tool that can be executed in
 * other calls must not be named.
 */
function recordedOptions(steps: readonly PlannedStep[]): string[] {
  const stuck = new Set(
    steps.flatMap(({ execution, step }) => (execution.how === "none" ? (step.tool ?? []) : [])),
  );
  const others = steps.some(({ execution, step }) => execution.how !== "none" && stuck.has(step.tool ?? ""));
  return others || stuck.size > 3 ? ["--recorded *"] : [...stuck].map((tool) => `--recorded ${tool}`);
}

const labels: Readonly<Record<Execution["how"], string>> = {
  builtin: "built in",
  command: "command",
  adapter: "adapter",
  mcp: "MCP server",
  recorded: "not executed",
  none: "nothing: will fail",
};

/** Returns how many calls need the files of the run's repository, as no folder is named that has them. */
function checkoutOf(
  manifest: Manifest,
  steps: readonly PlannedStep[],
): { checkout?: NonNullable<ReplayPlan["checkout"]> } {
  const ofTree = steps.flatMap((planned) => treeUse(planned) ?? []);
  const reads = ofTree.filter((kind) => kind === "read").length;
  const searches = ofTree.length - reads;
  const commands = steps.filter(
    ({ execution, classified, isImported }) =>
      isImported && execution.how === "command" && mayNeedFiles(classified),
  ).length;
  if (reads + searches + commands === 0) return {};
  const remote = recordedRemote(manifest);
  return { checkout: { reads, searches, commands, ...(remote === undefined ? {} : { remote }) } };
}

/** Returns how a built-in call uses files that the log does not hold, if it does. */
function treeUse({ execution, classified, isImported }: PlannedStep): "read" | "search" | undefined {
  if (!isImported || execution.how !== "builtin" || classified?.class !== "tree") return undefined;
  return execution.use.action === "read" || execution.use.action === "window" ? "read" : "search";
}

const treeNeeds = { read: "a checkout", search: "maybe a checkout" } as const;

function groupsOf(steps: readonly PlannedStep[]): ReplayPlan["groups"] {
  const groups = new Map<string, ReplayPlan["groups"][number]>();
  const isMixed = runsCommands(steps);
  for (const planned of steps) {
    const { step, execution, compared } = planned;
    const consent = consentFor(execution);
    const isCompared = consent !== undefined || execution.how === "builtin";
    const together = isMixed && isPrivileged(planned) ? ",together" : "";
    const tree = treeUse(planned);
    const needs =
      consent !== undefined
        ? `--allow ${consent}${together}`
        : execution.how === "none"
          ? "--recorded"
          : tree === undefined
            ? null
            : treeNeeds[tree];
    const runs_as =
      execution.how === "recorded" && execution.byRequest === true
        ? "the record, by request"
        : labels[execution.how];
    const key = JSON.stringify([runs_as, needs, isCompared ? compared : null]);
    const group = groups.get(key) ?? {
      steps: 0,
      tools: [],
      runs_as,
      needs,
      compared: isCompared ? compared : null,
    };
    group.steps++;
    const name = step.tool ?? step.type;
    if (!group.tools.includes(name)) group.tools.push(name);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function classesOf(steps: readonly PlannedStep[]): ReplayPlan["classes"] {
  const counts = new Map<StepClass, number>();
  for (const { classified } of steps)
    if (classified !== undefined) counts.set(classified.class, (counts.get(classified.class) ?? 0) + 1);
  return [...counts].map(([name, calls]) => ({ class: name, calls }));
}

function counted(lines: readonly string[]): ReplayPlan["commands"] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([command, count]) => ({ command, count }));
}

/** Returns each program once, with the number of its calls. */
function programsOf<H extends Execution["how"], T extends object>(
  steps: readonly PlannedStep[],
  how: H,
  describe: (execution: Extract<Execution, { how: H }>, tool: string) => T,
): (T & { calls: number })[] {
  const found = new Map<string, T & { calls: number }>();
  for (const { execution, step } of steps) {
    if (execution.how !== how) continue;
    const program = describe(execution as Extract<Execution, { how: H }>, step.tool ?? "");
    const key = JSON.stringify(program);
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...program, calls: 1 });
    else known.calls++;
  }
  return [...found.values()];
}
