// The outcome of executing one step, as every executor returns it, built in or not.
import type { ComparedPart, FailReason } from "../results/replay.js";

/** How an effect on files could not be applied. */
export type FailureKind = "no_match" | "several_matches" | "no_file" | "file_exists";

export type Outcome =
  /** The step ran and returned bytes. */
  | { kind: "output"; bytes: Buffer; compared: ComparedPart; exitCode?: number }
  /**
   * The step ran for its effect; `path` is the file that it changed, relative to the workspace, if it is one
   * file.
   */
  | { kind: "effect"; path?: string; applied: true }
  /** The step ran, and its effect could not be applied: a text to be replaced was not found, for example. */
  | { kind: "effect"; applied: false; message: string; failure?: FailureKind }
  /**
   * The step could not be executed. `atLimit`: a limit of the replay or a full disk ended it, whatever the
   * record says. `untried`: it was refused, could not be started, or is more than ctx handles, so nothing is
   * known about the call.
   */
  | { kind: "failed"; reason: FailReason; message: string; atLimit?: true; untried?: true };

/** Thrown inside executors; becomes an outcome of that kind. */
export class StepFailure extends Error {
  readonly reason: FailReason;
  /** Whether a limit of the replay, or a full disk, is the cause. */
  readonly atLimit: boolean;
  /** Whether nothing is known about the call. */
  readonly untried: boolean;

  constructor(reason: FailReason, message: string, options: { atLimit?: boolean; untried?: boolean } = {}) {
    super(message);
    this.reason = reason;
    this.atLimit = options.atLimit === true;
    this.untried = options.untried === true;
  }
}

/** Returns the outcome of a step that threw. */
export function outcomeOfFailure({
  reason,
  message,
  atLimit,
  untried,
}: Pick<StepFailure, "reason" | "message" | "atLimit" | "untried">): Outcome {
  return {
    kind: "failed",
    reason,
    message,
    ...(atLimit ? { atLimit: true } : {}),
    ...(untried ? { untried: true } : {}),
  };
}

/** Returns whether a call was really carried out, and failed: a program ran, or a built-in tool tried. */
export function wasTried(outcome: Extract<Outcome, { kind: "failed" }>): boolean {
  const { reason, atLimit, untried } = outcome;
  return (reason === "missing_input" || reason === "error") && atLimit !== true && untried !== true;
}

/** Returns whether a system call failed because the disk, or the user's quota, is full. */
export function isNoSpace(errno: unknown): boolean {
  return errno === "ENOSPC" || errno === "EDQUOT";
}

/**
 * Thrown inside built-in executors; becomes an effect that was not applied. That is no failure of the replay:
 * the step ran, and the record may well say the same.
 */
export class NotApplied extends Error {
  readonly kind: FailureKind | undefined;

  constructor(message: string, kind?: FailureKind) {
    super(message);
    this.kind = kind;
  }
}
