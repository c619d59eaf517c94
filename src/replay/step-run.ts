// What the walk through the steps of a replay works with.
import type { NormaliserRule } from "../model/config.js";
import type { Manifest } from "../model/manifest.js";
import type { ReplayedStep } from "../results/replay.js";
import type { OutputWatch } from "./output-watch.js";
import type { Consent, PlannedStep } from "./plan.js";
import type { ProgramExecutors } from "./program-executors.js";
import type { Resync } from "./resync.js";
import type { Workspace } from "./workspace.js";

export interface StepRun {
  store: { root: string };
  manifest: Manifest;
  /** The whole plan, including steps after the last one that is executed. */
  plan: readonly PlannedStep[];
  /** The last step to execute. */
  last: number;
  workspace: Workspace;
  watch: OutputWatch;
  /** The path under which tools see the workspace. */
  visiblePath: string;
  /** Whether the workspace has the files of a folder or a revision, besides the inputs. */
  hasBase: boolean;
  /** A path for a copy of the workspace, where nothing is. */
  spare: string;
  programs: ProgramExecutors;
  allowed: ReadonlySet<Consent>;
  rules: readonly NormaliserRule[];
  difference: (expected: Buffer, actual: Buffer) => string | undefined;
  /** Called after each step, with its output if that is not the recorded one. False ends the walk. */
  onStep: (step: ReplayedStep, output: Buffer | undefined) => boolean;
  /** Sets files back to the record where the replay has drifted; undefined if that is not wanted. */
  resync?: Resync | undefined;
  /** Called at the end for each step whose verdict depended on later steps, with the final verdict. */
  onSettled: (step: ReplayedStep) => void;
  signal?: AbortSignal | undefined;
}
