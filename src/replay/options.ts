// The options of a replay.
import type { Step } from "../model/manifest.js";
import type { ReplayedStep, ReplayPlan, ReplayTree } from "../results/replay.js";
import type { Consent } from "./plan.js";
import type { PlanOptions } from "./prepare-plan.js";

export type Allowed = Consent | "net" | "mcp-writes" | "together";

export interface ReplayOptions extends PlanOptions {
  /** What may run without asking the user. */
  allow?: readonly Allowed[];
  /**
   * Called once, if something would run that is not allowed yet; returns what the user allows. `visible`: the user's
   * toolchains and programs that commands could read.
   */
  ask?: (plan: ReplayPlan, missing: readonly Consent[], visible: readonly string[]) => readonly Consent[];
  /** Start from a copy of this folder. */
  workspace?: string | undefined;
  /**
   * Start from a revision of the repository around the store; `auto`: the commit that the run started from,
   * as its content shows.
   */
  git?: string | undefined;
  /** A folder in the repository that `git` is about, instead of the one around the store. */
  repo?: string | undefined;
  /** Find the repository, the commit and the dependencies of the run; `git` is `auto` if it is not set. */
  auto?: boolean;
  /** A checkout whose dependency folders programs see read-only. */
  deps?: string | undefined;
  /**
   * The programs outside the system's folders that recorded commands see; by default all toolchains of the PATH, and
   * the other programs that the commands name.
   */
  tools?: readonly string[] | undefined;
  /** Start from the commit that `auto` finds even if it is a guess. */
  yes?: boolean;
  /** Called if `auto` finds no more than a guess; returns whether to start from it. */
  askGuess?: (tree: ReplayTree) => boolean;
  keep?: boolean;
  /** False: programs run without a sandbox. */
  sandbox?: boolean;
  /** The last step to execute. */
  to?: number | undefined;
  /** Judge only this step; those before it are executed for their effects. */
  step?: number | undefined;
  stopOnDivergence?: boolean;
  /** False: files that have drifted are not set back to what the log says. */
  resync?: boolean;
  /** How much of the calls that can be checked must be, in percent; less makes an exact replay degraded. */
  require?: number | undefined;
  /** Seal the replayed run, as a child of the pack. */
  seal?: boolean;
  /** Called before anything runs. */
  onStart?: (plan: ReplayPlan) => void;
  /** Called after each step, with its record and the number of steps. */
  onStep?: (replayed: ReplayedStep, step: Step, progress: { steps: number; visiblePath: string }) => void;
  signal?: AbortSignal;
  machine: {
    /** The folder for temporary files. */
    temp: string;
    path: string;
    home: string;
    env: Readonly<Record<string, string | undefined>>;
  };
}
