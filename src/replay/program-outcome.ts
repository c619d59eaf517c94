// Turns the end of a program into the outcome of the step that started it.
import { CtxError } from "../base/errors.js";
import { isNoSpace, type Outcome, outcomeOfFailure, StepFailure } from "./outcome.js";
import type { FinishedProgram } from "./spawn.js";

/** Maximum size of a program's output. */
export const stepOutput = 16 << 20;

/** How long a step may take, in milliseconds. */
export const stepTime = 60_000;
const longestStepTime = 600_000;

/** Returns how long a command may take: more than other steps if it took long in the run, on another machine. */
export function timeFor(duration = 0): number {
  return Math.min(longestStepTime, Math.max(stepTime, 3 * duration));
}

/** Turns everything that a pack or a program can cause into an outcome. */
export async function toOutcome(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    // A program that ran has an outcome: an error means that it was kept from running.
    if (error instanceof StepFailure)
      return outcomeOfFailure({
        reason: error.reason,
        message: error.message,
        atLimit: error.atLimit,
        untried: true,
      });
    if (error instanceof CtxError && isNoSpace(error.data?.["errno"])) return limitReached(error.message);
    throw error;
  }
}

export function programOutcome(finished: FinishedProgram, timeout: number): Outcome {
  if (finished.timedOut) return failed("timeout", `it was still running after ${timeout / 1000} s`);
  if (finished.excess !== undefined) return limitReached(finished.excess);
  if (finished.tooLong) return limitReached(`it wrote more than ${stepOutput >> 20} MiB`);
  return {
    kind: "output",
    bytes: finished.output,
    compared: "output",
    ...(finished.exitCode === null ? {} : { exitCode: finished.exitCode }),
  };
}

/** Returns whether the only output is that there is no such program. */
export function isUnknown(output: Buffer): boolean {
  return /^prlimit: failed to execute [^\n]*No such file or directory\n$/.test(output.toString("latin1"));
}

export function unknownProgram([name = ""]: readonly string[]): Outcome {
  return failed("no_program", `there is no program ${name} in the sandbox`);
}

function failed(reason: "timeout" | "no_program" | "error", message: string): Outcome {
  return { kind: "failed", reason, message };
}

/** Returns the failure of a step that reached a limit, whatever the record says. */
export function limitReached(message: string): Outcome {
  return { kind: "failed", reason: "error", message, atLimit: true };
}

/** Returns the outcome of an adapter; one that fails has no result. */
export function adapterOutcome(finished: FinishedProgram, timeout: number): Outcome {
  const outcome = programOutcome(finished, timeout);
  if (outcome.kind !== "output" || finished.exitCode === 0) return outcome;
  const lastLine = finished.errors?.toString("utf8").trim().split("\n").at(-1) ?? "";
  const message = `the adapter ended with exit status ${finished.exitCode}${lastLine === "" ? "" : `: ${lastLine.slice(0, 300)}`}`;
  // What shells, env and other launchers return if they found no program, or could not run it.
  if (finished.exitCode === 126 || finished.exitCode === 127) return failed("no_program", message);
  return failed("error", message);
}
