// What executing one step means to the rest of replay: every executor, built in or not, gives one of these.
import type { Compared, FailReason } from "../model/replay.js";

export type Outcome =
  /** It ran and gave bytes. */
  | { kind: "output"; bytes: Buffer; compared: Compared; exitCode?: number }
  /** It ran for its effect; `path` is the file that it is about, from the workspace, if it is one file. */
  | { kind: "effect"; path?: string; applied: true }
  /** It ran, and its effect could not be applied: a text to be replaced that is not there, for example. */
  | { kind: "effect"; applied: false; message: string }
  /** It could not be executed. */
  | { kind: "failed"; reason: FailReason; message: string };

/** Thrown inside executors; becomes an outcome of that kind. */
export class StepFailure extends Error {
  readonly reason: FailReason;

  constructor(reason: FailReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
