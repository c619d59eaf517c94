// What ctx itself puts into `extra.ctx` when it writes ATIF, for things that ATIF has no field for. Read back, so that a pack that was
// exported and packed again keeps them.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { numberAt, objectAt, textAt } from "../../json-access.js";
import type { Status } from "../../run-entries.js";

const statuses: ReadonlySet<string> = new Set<Status>(["ok", "error", "denied", "interrupted", "unanswered"]);

export interface OwnResult {
  status: Status;
  exitCode: number | undefined;
  metadata: JsonObject;
}

/** What ctx said of a result; undefined where it said nothing that is known. */
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

/** An `extra` without what is read here. */
export function othersExtra(extra: JsonValue | undefined): JsonObject | undefined {
  const all = objectAt(extra);
  if (all === undefined || ownResult(all) === undefined) return all;
  const { ctx: _, ...rest } = all;
  return rest;
}
