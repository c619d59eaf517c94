// Determines what a step that writes files is compared with: the output of the run that its file should
// become.
import { hexOf, type Reference, sha256, toReference } from "../base/digest.js";
import type { Manifest } from "../model/manifest.js";
import type { ReplayedStep } from "../results/replay.js";
import { touchedBy } from "../tools/table.js";
import { readObject } from "../store/objects.js";
import { type OutputWatch, outputPath } from "./output-watch.js";
import { consentFor, type PlannedStep } from "./plan.js";
import { hasFailed } from "./recorded-status.js";
import type { Workspace } from "./workspace.js";

export type StepVerdict = Omit<ReplayedStep, "index" | "type" | "tool" | "executed">;

/** A file that no later built-in step changes, and the output of the run that it should become. */
export interface FinalFile {
  path: string;
  reference: Reference;
}

/** What a step writes. */
export interface Effect {
  /** The files that it names, relative to the root of the workspace. */
  paths: string[];
  /** Those of them that are outputs, and that no later built-in step names. */
  finals: FinalFile[];
  /** Whether a later built-in step rewrites one of the outputs among them. */
  isRewritten: boolean;
  /** Whether a program comes later in the run, which might change them too. */
  isBeforeProgram: boolean;
}

/** Returns the effects of all built-in steps that write, by step index. */
export function effectsOf(
  plan: readonly PlannedStep[],
  manifest: Manifest,
  workspace: Workspace,
): Map<number, Effect> {
  const outputs = new Map(
    manifest.outputs.map(({ name, content_ref }) => [outputPath(workspace, name), content_ref]),
  );
  const found = new Map<number, Effect>();
  const seen = new Set<string>();
  let isBeforeProgram = false;
  for (const planned of plan.toReversed()) {
    isBeforeProgram ||= consentFor(planned.execution) !== undefined;
    const paths = changedPaths(planned, workspace);
    if (paths.length === 0) continue;
    if (hasFailed(planned.step)) {
      // It changed nothing then, and what it changes now is taken back.
      found.set(planned.step.index, { paths, finals: [], isRewritten: false, isBeforeProgram });
      continue;
    }
    const isRewritten = paths.some((path) => seen.has(path) && outputs.has(path));
    const finals = paths.flatMap((path): FinalFile[] => {
      const reference = seen.has(path) ? undefined : outputs.get(path);
      seen.add(path);
      return reference === undefined ? [] : [{ path, reference }];
    });
    found.set(planned.step.index, { paths, finals, isRewritten, isBeforeProgram });
  }
  return found;
}

/** Returns the files that a built-in step names as those it changes. */
function changedPaths({ step, execution }: PlannedStep, workspace: Workspace): string[] {
  if (execution.how !== "builtin") return [];
  const folder = step.metadata?.["cwd"];
  return touchedBy(execution.use).flatMap((path) => {
    try {
      return workspace.locate(path, typeof folder === "string" ? folder : undefined);
    } catch {
      return [];
    }
  });
}

export interface EffectContext {
  store: { root: string };
  workspace: Workspace;
  difference: (expected: Buffer, actual: Buffer) => string | undefined;
}

/**
 * Judges an effect that was applied. `open` names a file that differs, and that a later program may still
 * change.
 */
export function effectVerdict(
  { store, workspace, difference }: EffectContext,
  effect: Effect | undefined,
): { verdict: StepVerdict; open?: string } {
  if (effect === undefined || effect.finals.length === 0) {
    const why = effect?.isRewritten === true ? "rewritten later" : "nothing to compare it with";
    return { verdict: { status: "recorded", message: `applied; ${why}` } };
  }
  let hashes = {};
  for (const { path, reference } of effect.finals) {
    const actual = workspace.stat(path) === undefined ? undefined : workspace.read(path);
    const hash = actual === undefined ? undefined : toReference(sha256(actual));
    hashes = { expected_hash: reference, ...(hash === undefined ? {} : { actual_hash: hash }) };
    if (hash === reference) continue;
    const diff =
      actual === undefined ? undefined : difference(readObject(store.root, hexOf(reference)), actual);
    const verdict: StepVerdict = {
      status: "diverged",
      compared: "effect",
      ...hashes,
      message: `${path} differs from the recorded output`,
      ...(diff === undefined ? {} : { diff }),
    };
    return effect.isBeforeProgram ? { verdict, open: path } : { verdict };
  }
  return { verdict: { status: "matched", compared: "effect", ...hashes } };
}

/** Effects that differ from the run's outputs, but that a later program may still change. */
export class OpenEffects {
  readonly #open: { step: ReplayedStep; path: string }[] = [];

  /** Returns the provisional verdict on the step, which stands until the end of the run. */
  add(step: ReplayedStep, path: string): ReplayedStep {
    this.#open.push({ step, path });
    const { index, type, tool } = step;
    const message = "applied; differs so far";
    return {
      index,
      type,
      ...(tool === undefined ? {} : { tool }),
      status: "recorded",
      executed: true,
      message,
    };
  }

  /** Returns the steps that made files that still differ at the end: nothing changed them afterwards. */
  settled(watch: OutputWatch, unexecuted: Unexecuted): ReplayedStep[] {
    return this.#open.flatMap(({ step, path }) =>
      watch.makerOf(path) === step.index && unexecuted.after(step.index, path) === undefined ? [step] : [],
    );
  }
}

/** The steps of a run that might have changed files, and were not executed in this replay. */
export class Unexecuted {
  #any = -1;
  readonly #byPath = new Map<string, number>();

  constructor(
    plan: readonly PlannedStep[],
    effects: ReadonlyMap<number, Effect>,
    executed: ReadonlySet<number>,
  ) {
    for (const { step, execution, classified } of plan) {
      if (executed.has(step.index)) continue;
      const isAny =
        consentFor(execution) !== undefined ||
        classified?.class === "world" ||
        execution.how === "none" ||
        (execution.how === "recorded" && execution.byRequest === true);
      if (isAny) this.#any = step.index;
      for (const path of effects.get(step.index)?.paths ?? []) this.#byPath.set(path, step.index);
    }
  }

  /** Returns the last of them after a step that might have changed this file. */
  after(step: number, path: string): number | undefined {
    const last = Math.max(this.#any, this.#byPath.get(path) ?? -1);
    return last > step ? last : undefined;
  }
}
