// Results of `ctx replay`. Field names and meanings are part of the JSON contract.
import type { Reference } from "../base/digest.js";
import type { ProgramInfo } from "../model/config.js";
import type { KnownOrigin } from "../model/origin.js";
import type { Fidelity } from "../model/origin.js";

export type { Fidelity };

export type StepStatus = "matched" | "diverged" | "recorded" | "failed";

/** What of a step was compared. */
export type Compared = "output" | "normalised" | "lines" | "effect";

/** Why a step could not be executed. */
export const failReasons = [
  "no_tool",
  "not_allowed",
  "outside",
  "missing_input",
  "masked",
  "no_program",
  "timeout",
  "no_sandbox",
  "error",
] as const;
export type FailReason = (typeof failReasons)[number];

export interface ReplayedStep {
  index: number;
  type: string;
  tool?: string;
  status: StepStatus;
  /** That it diverged was to be expected: the step is not deterministic. */
  expected?: true;
  executed: boolean;
  compared?: Compared;
  expected_hash?: Reference;
  actual_hash?: Reference;
  reason?: FailReason;
  message?: string;
  exit_code?: number;
  /** The normalisers that changed something before the comparison. */
  normalised?: string[];
  /** Served from the record because it was asked for. */
  by_request?: true;
  /** The first lines in which it differs, as a unified diff without file names. */
  diff?: string;
}

/** The name of the normaliser that ignores white space at the end of a text. It hides nothing that is written. */
export const endOfTextName = "space at the end";

/** Returns whether a step matched only because a difference was ignored: a number, a date, a path, the order of lines. */
export function isForgiven(step: ReplayedStep): boolean {
  const { status, compared, normalised = [], expected_hash, actual_hash } = step;
  if (status !== "matched") return false;
  if (compared === "lines") return expected_hash !== actual_hash;
  return compared === "normalised" && normalised.some((name) => name !== endOfTextName);
}

export interface ReplayedOutput {
  name: string;
  /** Whether the workspace holds it at the end, byte for byte; null where that says nothing about the steps. */
  reproduced: boolean | null;
  /** The step that gave the file its bytes in this replay; null when no executed step did. */
  made_by: number | null;
  /** It was there before the first step, with the recorded bytes, and no step wrote them. */
  unchanged?: true;
  /** Its content is that of a message, and no executed step made a file of it. */
  said?: true;
  expected_hash: Reference;
  /** Of an output that was not reproduced; absent when there is no such file. */
  actual_hash?: Reference;
  /** Why it was not reproduced, or why that is not known. */
  message?: string;
  /** The first lines in which it differs, as a unified diff without file names. */
  diff?: string;
}

export interface EnvironmentFact {
  kind: "os" | "runtime" | "tool" | "input";
  name: string;
  recorded: string;
  /** Null when nothing was found. */
  found: string | null;
  status: "same" | "differs" | "unknown" | "missing" | "damaged";
}

/**
 * What `ctx replay --json` prints.
 * @title ctx replay
 */
export interface ReplayReport {
  pack_hash: Reference;
  fidelity: Fidelity;
  counts: {
    steps: number;
    /** Of the whole run, executed or not. */
    tool_calls: number;
    /** Tool calls that were executed and compared. */
    checked: number;
    matched: number;
    /** Those of the matched that differ in what is known to vary. */
    normalised: number;
    diverged: number;
    recorded: number;
    failed: number;
  };
  steps: ReplayedStep[];
  environment: EnvironmentFact[];
  /** Every output of the run. */
  outputs: ReplayedOutput[];
  sandbox: {
    /** `none`: nothing needed one. `off`: programs ran without one, by request. */
    kind: "bwrap" | "none" | "off";
    version?: string;
    network: boolean;
  };
  workspace: {
    /** As the tools saw it. */
    seen_as: string;
    /** What it was made from, besides the inputs. */
    from?: string;
    /** Where it is, when it was kept. */
    kept?: string;
    /** Why the run's own folder could not be used as its name. */
    note?: string;
  };
  /** The pack that was made of what was replayed. */
  sealed?: Reference;
  /** Where the pack comes from, when it was not recorded from a run. */
  origin?: KnownOrigin;
  notices: string[];
}

/**
 * What `ctx replay --plan --json` prints: what a replay would do.
 * @title ctx replay --plan
 */
export interface ReplayPlan {
  pack_hash: Reference;
  steps: number;
  /** Steps that are treated alike. */
  groups: {
    steps: number;
    tools: string[];
    runs_as: string;
    /** What must be said for it to run; null when nothing. */
    needs: string | null;
    compared: Compared | null;
  }[];
  /** Commands from the pack, with how often each would run, in order of their first use. */
  commands: { command: string; count: number }[];
  /** The user's programs that would run, as they are configured. */
  adapters: ({ tool: string; calls: number } & ProgramInfo)[];
  servers: ({ server: string; calls: number } & ProgramInfo)[];
  workspace: { inputs: number; seen_as: string; from?: string; note?: string };
  /** Names in the store's config that are not trusted, and are not used. */
  untrusted: string[];
  /** Why they are not trusted, when there are any. */
  untrusted_why?: string;
  /** The options with which everything would run that can. */
  options: string[];
  /** Where the pack comes from, when it was not recorded from a run. */
  origin?: KnownOrigin;
}
