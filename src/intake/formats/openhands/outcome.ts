// Reads what an observation says beyond its text: how a command ended, whether output was truncated, and
// files before and after.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { flagAt, defined, numberAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Status } from "../../run-entries.js";

/** The exit code of a command that has not ended. */
const running = -1;

export function outcomeOf(
  about: JsonValue | undefined,
  isError: boolean,
): { status: Status; metadata: JsonObject } {
  const code = numberAt(about, "exit_code") ?? numberAt(about, "metadata", "exit_code");
  const isRunning = code === running;
  const failed = isError || (code !== undefined && code !== 0 && !isRunning);
  return {
    status: failed ? "error" : "ok",
    metadata: defined({
      exit_code: isRunning ? undefined : code,
      still_running: isRunning && !isError ? true : undefined,
      timeout: flagAt(about, "timeout") ? true : undefined,
    }),
  };
}

const cuts = [
  "Observation truncated due to length",
  "Command output truncated: removed ",
  "<response clipped>",
];

/** Notes that OpenHands truncated an output. */
export function cutOf(builder: RunBuilder, text: string | undefined): JsonObject {
  if (text === undefined || !cuts.some((cut) => text.includes(cut))) return {};
  builder.coverage.truncated++;
  return { truncated: true };
}

/** Returns the folder that a command left the shell in. */
export function folderOf(about: JsonValue | undefined): string | undefined {
  return wordAt(about, "metadata", "working_dir");
}

/** Notes a changed file, where the log holds it before and after. */
export function noteFile(builder: RunBuilder, about: JsonValue | undefined): void {
  const path = wordAt(about, "path");
  const now = textAt(about, "new_content");
  if (path === undefined || now === undefined || textAt(about, "command") === "view") return;
  const old = textAt(about, "old_content");
  if (valueAt(about, "prev_exist") === false) builder.files.before(path, null);
  else if (old !== undefined) builder.files.before(path, old);
  builder.files.after(path, now);
}
