// What an observation says beyond its text: how a command ended, whether some was cut, and what files were before and after.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { flagAt, given, numberAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Status } from "../../run-entries.js";

/** Where it is said that a command did not end yet. */
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
    metadata: given({
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

/** Notes that OpenHands kept only some of an output. */
export function cutOf(builder: RunBuilder, text: string | undefined): JsonObject {
  if (text === undefined || !cuts.some((cut) => text.includes(cut))) return {};
  builder.coverage.truncated++;
  return { truncated: true };
}

/** The folder that a command left the shell in. */
export function folderOf(about: JsonValue | undefined): string | undefined {
  return wordAt(about, "metadata", "working_dir");
}

/** What a change made of a file, where both are told. */
export function noteFile(builder: RunBuilder, about: JsonValue | undefined): void {
  const path = wordAt(about, "path");
  const now = textAt(about, "new_content");
  if (path === undefined || now === undefined || textAt(about, "command") === "view") return;
  const old = textAt(about, "old_content");
  if (valueAt(about, "prev_exist") === false) builder.files.before(path, null);
  else if (old !== undefined) builder.files.before(path, old);
  builder.files.after(path, now);
}
