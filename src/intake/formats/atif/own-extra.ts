// Reads `extra.ctx`, in which ctx keeps what ATIF has no field for, so that a pack that was exported and
// packed again keeps it.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { numberAt, objectAt, textAt } from "../../json-access.js";
import type { Status } from "../../run-entries.js";

const statuses: ReadonlySet<string> = new Set<Status>(["ok", "error", "denied", "interrupted", "unanswered"]);

export interface OwnResult {
  status: Status;
  exitCode: number | undefined;
  metadata: JsonObject;
}

/** Returns what ctx recorded about a result; undefined when it recorded nothing known. */
export function ownResult(extra: JsonValue | undefined): OwnResult | undefined {
  const own = objectAt(extra, "ctx");
  const status = textAt(own, "status");
  if (status === undefined || !statuses.has(status)) return undefined;
  return {
    status: status as Status,
    exitCode: numberAt(own, "exit_code"),
    metadata: objectAt(own, "metadata") ?? {},
  };
}

/** Returns an `extra` without what is read here. */
export function othersExtra(extra: JsonValue | undefined): JsonObject | undefined {
  const all = objectAt(extra);
  if (all === undefined || ownResult(all) === undefined) return all;
  const { ctx: _, ...rest } = all;
  return rest;
}
