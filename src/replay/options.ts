// What a replay can be asked for.
import type { Step } from "../model/manifest.js";
import type { ReplayedStep, ReplayPlan } from "../results/replay.js";
import type { Consent } from "./plan.js";
import type { PlanOptions } from "./prepare-plan.js";

export type Allowed = Consent | "net" | "mcp-writes" | "together";

export interface ReplayOptions extends PlanOptions {
  /** What may run without being asked for. */
  allow?: readonly Allowed[];
  /** Asked once, when something would run that is not allowed yet: what may? */
  ask?: (plan: ReplayPlan, missing: readonly Consent[]) => readonly Consent[];
  /** Start from a copy of this folder. */
  workspace?: string | undefined;
  /** Start from a revision of the repository around the store; `auto`: the recorded one, or the best. */
  git?: string | undefined;
  keep?: boolean;
  /** False: programs run without a sandbox. */
  sandbox?: boolean;
  /** The last step to be executed. */
  to?: number | undefined;
  /** Only this step is judged; those before it are executed for their effects. */
  step?: number | undefined;
  stopOnDivergence?: boolean;
  /** Seal what was replayed, as a child of the pack. */
  seal?: boolean;
  /** Called before anything runs. */
  onStart?: (plan: ReplayPlan) => void;
  /** Told of each step as it happens, with the record, and how many steps there are. */
  onStep?: (replayed: ReplayedStep, step: Step, about: { steps: number; seenAs: string }) => void;
  signal?: AbortSignal;
  machine: {
    /** The folder for temporary files. */
    temp: string;
    path: string;
    home: string;
    env: Readonly<Record<string, string | undefined>>;
  };
}
