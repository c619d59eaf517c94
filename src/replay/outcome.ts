// What executing one step means to the rest of replay: every executor, built in or not, gives one of these.
import type { Compared, FailReason } from "../results/replay.js";

export type Outcome =
  /** It ran and gave bytes. */
  | { kind: "output"; bytes: Buffer; compared: Compared; exitCode?: number }
  /** It ran for its effect; `path` is the file that it is about, from the workspace, if it is one file. */
  | { kind: "effect"; path?: string; applied: true }
  /** It ran, and its effect could not be applied: a text to be replaced that is not there, for example. */
  | { kind: "effect"; applied: false; message: string }
  /**
   * It could not be executed. `atLimit`: a limit of the replay or a full disk ended it, whatever the record says. `untried`: it was refused,
   * could not be started, or is more than ctx handles, so nothing was found out about the call.
   */
  | { kind: "failed"; reason: FailReason; message: string; atLimit?: true; untried?: true };

/** Thrown inside executors; becomes an outcome of that kind. */
export class StepFailure extends Error {
  readonly reason: FailReason;
  /** A limit of the replay, or a full disk, is the cause. */
  readonly atLimit: boolean;
  /** Nothing was found out about the call. */
  readonly untried: boolean;

  constructor(reason: FailReason, message: string, options: { atLimit?: boolean; untried?: boolean } = {}) {
    super(message);
    this.reason = reason;
    this.atLimit = options.atLimit === true;
    this.untried = options.untried === true;
  }
}

/** The outcome of a step that threw. */
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

/** Whether a call was really carried out, and failed: a program ran, or a built-in tool looked. */
export function wasTried(outcome: Extract<Outcome, { kind: "failed" }>): boolean {
  const { reason, atLimit, untried } = outcome;
  return (reason === "missing_input" || reason === "error") && atLimit !== true && untried !== true;
}

/** Whether a system call failed because the disk, or the user's share of it, is full. */
export function isNoSpace(errno: unknown): boolean {
  return errno === "ENOSPC" || errno === "EDQUOT";
}
