// What a log records about the end of a call: whether it failed, and its exit status.
import type { Step } from "../model/manifest.js";

const failures = new Set(["error", "failed", "failure"]);

/** Returns whether the log says that the call failed. */
export function hasFailed({ metadata }: Step): boolean {
  const status = metadata?.["status"];
  return typeof status === "string" && failures.has(status.trim().toLowerCase());
}

/** Returns how long a call took, in milliseconds, if the log says so. */
export function durationOf({ metadata }: Step): number | undefined {
  const duration = metadata?.["duration_ms"];
  return typeof duration === "number" && duration >= 0 ? duration : undefined;
}

/** Returns whether the log has the output of a command only as far as it had come: a server, for example. */
export function isStillRunning(step: Step): boolean {
  const { still_running, session_id } = step.metadata ?? {};
  // Codex numbers commands that outlast the call, and records their exit status once a poll has seen their end.
  const isOpen = session_id !== undefined && exitOf(step) === undefined && !hasFailed(step);
  return still_running === true || isOpen;
}

/** Returns the recorded exit status; a text of digits counts, anything else is not an exit status. */
export function exitOf({ metadata }: Step): number | undefined {
  const code = metadata?.["exit_code"];
  if (typeof code === "number") return code;
  return typeof code === "string" && /^\d{1,9}$/.test(code.trim()) ? Number(code) : undefined;
}
