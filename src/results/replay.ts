// Results of `ctx replay`. Field names and meanings are part of the JSON contract.
import type { Reference } from "../base/digest.js";
import type { ProgramInfo } from "../model/config.js";
import type { KnownOrigin } from "../model/origin.js";
import type { Fidelity } from "../model/origin.js";

export type { Fidelity };

export type StepStatus = "matched" | "diverged" | "recorded" | "failed";

/**
 * What a call needs in order to be judged, fixed in the plan before anything runs. `read`: a file that the
 * log holds; `tree`: a file or a search that needs the repository; `edit`: a change of a file; `pure`: a
 * command over the workspace alone; `tool`: a command that needs a toolchain or dependencies, or that cannot
 * be classified;
 * `world`: home, other folders, network, processes, clock, other machines; `own`: the agent's own affair;
 * `refused`: a call that never ran.
 */
export type StepClass = "read" | "tree" | "edit" | "pure" | "tool" | "world" | "own" | "refused";

/**
 * What was compared for a step. `results`: what a test runner reports, the number of tests in each state and
 * the names of those that failed. `failure`: how the call failed, by the wording that the agent is known for.
 */
export type ComparedPart = "output" | "normalised" | "lines" | "results" | "effect" | "failure";

/** Why a step could not be executed. */
export const failReasons = [
  "no_tool",
  "not_allowed",
  "outside",
  "missing_input",
  "masked",
  "no_program",
  "no_dependency",
  "timeout",
  "no_sandbox",
  "error",
] as const;
export type FailReason = (typeof failReasons)[number];

/**
 * The end of the hint about a repository that `--auto` did not find. The command line, which knows what was
 * typed, puts the whole command in its place.
 */
export const withoutAuto = "leave out --auto";

export interface ReplayedStep {
  index: number;
  type: string;
  tool?: string;
  status: StepStatus;
  /** The class of a tool call. */
  class?: StepClass;
  /**
   * Set if the step diverged and its author declared it not deterministic, so that this was expected. Never
   * set in a pack that ctx imported: there the class decides.
   */
  expected?: true;
  executed: boolean;
  compared?: ComparedPart;
  expected_hash?: Reference;
  actual_hash?: Reference;
  reason?: FailReason;
  message?: string;
  /** What the step would need in order to be checked: `a checkout`, or the name of a program. */
  needs?: string;
  exit_code?: number;
  /** The rules without which the outputs differ. */
  normalised?: string[];
  /** Set if the recorded output was used because the user requested it. */
  by_request?: true;
  /** The first lines that differ, as a unified diff without file names. */
  diff?: string;
}

/**
 * The name of the normaliser that ignores white space at the end of a text. It hides no difference in the
 * text.
 */
export const endOfTextName = "space at the end";

/**
 * Returns whether a step matched only because a difference was ignored: a number, a date, a path, or the
 * order of lines.
 */
export function isForgiven(step: ReplayedStep): boolean {
  const { status, compared, normalised = [], expected_hash, actual_hash } = step;
  if (status !== "matched") return false;
  if (compared === "lines" || compared === "results") return expected_hash !== actual_hash;
  return compared === "normalised" && normalised.some((name) => name !== endOfTextName);
}

export interface ReplayedOutput {
  name: string;
  /**
   * Whether the workspace contains it at the end, byte for byte; null if that proves nothing about the steps.
   */
  reproduced: boolean | null;
  /** The step that wrote the file's bytes in this replay; null if no executed step did. */
  made_by: number | null;
  /** Set if the file existed with the recorded bytes before the first step, and no step wrote them. */
  unchanged?: true;
  /** Set if the content is that of a message, and no executed step wrote a file with it. */
  said?: true;
  expected_hash: Reference;
  /** The hash of the file if it was not reproduced; absent if there is no such file. */
  actual_hash?: Reference;
  /** Why it was not reproduced, or why that is unknown. */
  message?: string;
  /** The first lines that differ, as a unified diff without file names. */
  diff?: string;
}

export interface EnvironmentFact {
  kind: "os" | "runtime" | "tool" | "input";
  name: string;
  recorded: string;
  /** The value on this machine; null if nothing was found. */
  found: string | null;
  status: "same" | "differs" | "unknown" | "missing" | "damaged";
}

/** Something that a replay was missing, and the calls that could not be checked because of it. */
export interface Need {
  what: string;
  calls: number;
  /** The options that provide it; null if none do. `<folder>` in them is for the user to fill in. */
  flag: string | null;
}

/** How much of a run a replay could check. */
export interface ReplayCoverage {
  /** The tool calls of the whole run. */
  calls: number;
  /** Calls that can be judged: those that were, and those that were not because of a need. */
  checkable: number;
  /** Calls that were executed and compared. */
  checked: number;
  needs: Need[];
}

/** A file that was set to what the log says it was, because the replay had other bytes there. */
export interface SetBack {
  path: string;
  /** The step before which it was set back. */
  before: number;
  /** The earlier steps that may have caused the difference, if they are known. */
  since: number[];
  why?: string;
}

/** The commit of a repository that the workspace started from. */
export interface ReplayTree {
  commit: string;
  /**
   * `named` by the user. Found: `proved` by what the run did with git; `sure`: no other tree of the time
   * holds all that the run saw, and the branch agrees; `likely`: the best one, or the one of several on the
   * branch; or a `guess`.
   */
  how: "named" | "proved" | "sure" | "likely" | "guess";
  /**
   * How many of the files, and parts of files, that the run saw before it changed them have the same content.
   */
  holds: number;
  of: number;
  /**
   * The commit that the log records, if it is another; `holds` is null if the repository does not have it.
   */
  recorded?: { commit: string; holds: number | null };
  /** Why not everything was compared. */
  stopped?: string;
}

/**
 * What `ctx replay --json` prints.
 * @title ctx replay
 */
export interface ReplayReport {
  pack_hash: Reference;
  title: string | null;
  fidelity: Fidelity;
  counts: {
    steps: number;
    /** The tool calls of the whole run, executed or not. */
    tool_calls: number;
    /** Tool calls that were executed and compared. */
    checked: number;
    matched: number;
    /** The matched calls whose output differs only in values that are known to vary. */
    normalised: number;
    diverged: number;
    recorded: number;
    failed: number;
    /** How often a file was set back to what the log says it was. */
    resynced: number;
  };
  coverage: ReplayCoverage;
  /** The only step that was judged, with `--step`. */
  selected?: number;
  /** The files that were set back, in order. */
  set_back: SetBack[];
  steps: ReplayedStep[];
  environment: EnvironmentFact[];
  /** Every output of the run. */
  outputs: ReplayedOutput[];
  sandbox: {
    /** `none`: none was needed. `off`: programs ran without a sandbox, as the user requested. */
    kind: "bwrap" | "none" | "off";
    version?: string;
    network: boolean;
  };
  workspace: {
    /** The path under which tools saw the workspace. */
    seen_as: string;
    /** The folder or revision that it was copied from, besides the inputs. */
    from?: string;
    /** Its path, if it was kept. */
    kept?: string;
    /** Why tools saw it under another path than the run's own folder. */
    note?: string;
  };
  /** The commit that it started from, with `--git`. */
  tree?: ReplayTree;
  /** The pack that the replay was sealed as. */
  sealed?: Reference;
  /** The origin of a pack that no agent ran. */
  origin?: KnownOrigin;
  notices: string[];
}

/** What `ctx replay --plan --json` prints: the plan of a replay.
 * @title ctx replay --plan
 */
export interface ReplayPlan {
  pack_hash: Reference;
  title: string | null;
  steps: number;
  /** Steps that are treated in the same way. */
  groups: {
    steps: number;
    tools: string[];
    runs_as: string;
    /** The option that is needed to run them, `a checkout` or `maybe a checkout`; null if nothing is. */
    needs: string | null;
    compared: ComparedPart | null;
  }[];
  /**
   * What needs the files of the run's repository, `remote` if the log names it: calls that read a file which
   * the log does not hold; searches, which may find in it what is not here; commands that may read it. Absent
   * if nothing does.
   */
  checkout?: { reads: number; searches: number; commands: number; remote?: string };
  /** How many tool calls each class has. */
  classes: { class: StepClass; calls: number }[];
  /** The commands of the pack and how often each would run, in order of first use. */
  commands: { command: string; count: number }[];
  /** The configured programs that would run. */
  adapters: ({ tool: string; calls: number } & ProgramInfo)[];
  servers: ({ server: string; calls: number } & ProgramInfo)[];
  workspace: { inputs: number; seen_as: string; from?: string; note?: string };
  /** Names in the store's config that are ignored because they are not trusted. */
  untrusted: string[];
  /** Why they are not trusted, if there are any. */
  untrusted_why?: string;
  /** The options that let every step run that can run. */
  options: string[];
  /** The origin of a pack that no agent ran. */
  origin?: KnownOrigin;
}
