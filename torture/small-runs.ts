// The logs and options of the commands under test.
import { join } from "node:path";
import { type AnyLog, runLog } from "../dev/logs.js";

/** Two blobs besides those that every run has, and one output that exists on disk. */
export function smallRun(fields: AnyLog = {}): AnyLog {
  return runLog({
    inputs: [],
    steps: [{ type: "reasoning", output: "Two lines.", timestamp: "2026-02-10T11:59:59Z" }],
    ...fields,
  });
}

/** Returns a user whose home is in the folder. */
export function atHome(folder: string): { env: Record<string, string> } {
  return { env: { HOME: join(folder, "home"), XDG_STATE_HOME: "", XDG_CONFIG_HOME: "" } };
}
