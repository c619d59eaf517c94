// What a log records about the end of a call: whether it failed, and its exit status.
import type { Step } from "../model/manifest.js";

const failures = new Set(["error", "failed", "failure"]);

/** Returns whether the log says that the call failed. */
export function hasFailed({ metadata }: Step): boolean {
  const status = metadata?.["status"];
  return typeof status === "string" && failures.has(status.trim().toLowerCase());
}

/** Returns the recorded exit status; a text of digits counts, anything else is not an exit status. */
export function exitOf({ metadata }: Step): number | undefined {
  const code = metadata?.["exit_code"];
  if (typeof code === "number") return code;
  return typeof code === "string" && /^\d{1,9}$/.test(code.trim()) ? Number(code) : undefined;
}
