// Reads how a call ended. ATIF has no field for it, so each producer that knows records it in its own way.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { flagAt, defined, numberAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { Status } from "../../run-entries.js";
import { ownResult } from "./own-extra.js";
import { unknownFailures } from "../../../model/coverage-codes.js";

export interface AtifOutcome {
  status: Status;
  metadata: JsonObject;
}

/**
 * Returns the outcome of a result. `alone`: the extra of the step, where it can only be about this result.
 */
export function outcomeOf(
  result: JsonObject,
  alone: JsonObject | undefined,
  coverage: Coverage,
): AtifOutcome {
  const extra = objectAt(result, "extra");
  const own = ownResult(extra);
  if (own !== undefined)
    return { status: own.status, metadata: defined({ ...own.metadata, exit_code: own.exitCode }) };
  const holders = [result, extra, alone, objectAt(alone, "tool_result_metadata"), objectAt(result, "result")];
  const exit = holders.map((holder) => numberAt(holder, "exit_code")).find((code) => code !== undefined);
  const stated = holders.map(statusIn).find((status) => status !== undefined);
  if (stated === undefined && exit === undefined) coverage.addUnknown(unknownFailures.atif);
  const status = stated ?? (exit === undefined || exit === 0 ? "ok" : "error");
  return { status, metadata: defined({ exit_code: exit }) };
}

const words: Record<string, Status> = {
  error: "error",
  failed: "error",
  failure: "error",
  timeout: "error",
  ok: "ok",
  success: "ok",
  completed: "ok",
  denied: "denied",
  rejected: "denied",
  cancelled: "interrupted",
  canceled: "interrupted",
  interrupted: "interrupted",
};

function statusIn(holder: JsonValue | undefined): Status | undefined {
  if (["is_error", "tool_result_is_error"].some((name) => flagAt(holder, name))) return "error";
  if (valueAt(holder, "success") === false) return "error";
  if (valueAt(holder, "success") === true || valueAt(holder, "is_error") === false) return "ok";
  const word = textAt(holder, "status") ?? "";
  return Object.hasOwn(words, word) ? words[word] : undefined;
}
