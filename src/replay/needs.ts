// Decides whether this machine, and not the run, is the reason why a step could not be judged: a program, a
// dependency or the repository is not here.
import type { Step } from "../model/manifest.js";
import type { FailReason, ReplayedStep } from "../results/replay.js";
import { type Missing, missingFolder, missingIn, missingProgram } from "./missing.js";
import { type Outcome, StepFailure } from "./outcome.js";
import type { PlannedStep } from "./plan.js";
import { recordedText } from "./recorded-text.js";
import type { Workspace } from "./workspace.js";

/** What a step was executed with. */
interface NeedContext {
  store: { root: string };
  workspace: Workspace;
  programs: { isThere: (name: string) => boolean };
  /** Whether the workspace has the files of a folder or a revision, besides the inputs. */
  hasBase: boolean;
}

/** Returns what a command is certain to miss before it runs. A command may itself look for a program. */
export function missingBefore(
  run: NeedContext,
  { step, execution, classified, isImported }: PlannedStep,
): Missing | undefined {
  if (!isImported || execution.how !== "command") return undefined;
  const names = classified?.command?.programs ?? [];
  const name = names.find((each) => !run.programs.isThere(each));
  if (name === undefined || looksForPrograms.test(execution.line)) return undefined;
  return /not found/.test(recordedText(run.store.root, step)) ? undefined : missingProgram(name);
}

const looksForPrograms = /\|\||\b(?:command -v|which|type|hash|alias|source|PATH=)\b|(?:^|[;&\s])\.\s/;

/**
 * Returns a step that diverged as one that failed, if this machine and not the run is the reason: a program,
 * a dependency, or the repository is not here.
 */
export function unlessMissing(
  run: NeedContext,
  planned: PlannedStep,
  judged: ReplayedStep,
  outcome: Outcome,
): ReplayedStep {
  const { step, execution, isImported, classified } = planned;
  const { index, type, tool } = judged;
  const failed = (
    missing: Pick<Missing, "message"> & { reason: FailReason; name: string },
  ): ReplayedStep => ({
    index,
    type,
    ...(tool === undefined ? {} : { tool }),
    ...(judged.class === undefined ? {} : { class: judged.class }),
    status: "failed",
    executed: judged.executed,
    reason: missing.reason,
    message: missing.message,
    needs: missing.name,
    ...(judged.exit_code === undefined ? {} : { exit_code: judged.exit_code }),
  });
  const checkout = (message: string): ReplayedStep =>
    failed({ reason: "missing_input", name: "a checkout", message });
  if (isImported && !run.hasBase && judged.status === "failed" && judged.reason === "missing_input")
    return checkout(judged.message ?? "");
  const isSearch = execution.how === "builtin" && classified?.class === "tree";
  const isEmpty = outcome.kind === "output" && outcome.bytes.length === 0;
  if (isImported && !run.hasBase && isSearch && judged.status === "matched" && isEmpty)
    return checkout("nothing was found, as the repository is not here");
  if (judged.status !== "diverged" || judged.expected === true) return judged;
  if (execution.how === "command" && outcome.kind === "output") {
    const recorded = recordedText(run.store.root, step);
    const missing = missingIn(outcome.bytes, recorded, execution.line);
    if (missing !== undefined && missing.isMaybeOwn === true && isImported && !run.hasBase)
      return checkout(`${missing.message}, and neither is its repository`);
    if (missing !== undefined) return failed(missing);
    const folder = isImported ? missingFolder(execution.line, (path) => isThere(run, step, path)) : undefined;
    if (folder !== undefined) return failed(folder);
  }
  return isImported && !run.hasBase && mayNeedFiles(classified)
    ? checkout("its repository is not here")
    : judged;
}

/** Returns whether a call may read files of the repository that the log does not hold. */
export function mayNeedFiles(classified: PlannedStep["classified"]): boolean {
  return classified?.command?.needsFiles ?? ["tree", "tool"].includes(classified?.class ?? "");
}

function isThere({ workspace }: NeedContext, { metadata }: Step, path: string): boolean {
  const folder = metadata?.["cwd"];
  try {
    return (
      workspace.stat(workspace.locate(path, typeof folder === "string" ? folder : undefined)) !== undefined
    );
  } catch (error) {
    if (error instanceof StepFailure) return false;
    throw error;
  }
}
