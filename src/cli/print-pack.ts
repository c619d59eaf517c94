// Prints what sealing one log, draft or session led to: a pack, or the reason why there is none.
import type { CtxError } from "../base/errors.js";
import { someOf } from "../base/lists.js";
import type { PackResult } from "../results/results.js";
import type { Call } from "./command.js";
import { notice, noticeEach, repairNotice, writeError, writeJson } from "./output.js";

export function printPack(call: Call, result: PackResult, out = call.terminal.out): void {
  if (call.json) writeJson({ out }, result);
  else out.write(`${result.uri}\n`);
  noticeEach(call, result.repaired.map(repairNotice), "damaged objects that are repaired now");
  noticeEach(call, result.notices, "notes; --json shows all");
  const missing = result.outputs_absent;
  if (missing.length > 0)
    notice(call, `no sidecar for outputs that are not on disk with the recorded content: ${someOf(missing)}`);
}

/**
 * Prints why there is no pack, and returns the exit status: 1 if the draft is unchanged, 2 for any failure.
 */
export function reportFailure(call: Call, error: CtxError): number {
  writeError(call.terminal, call.json, error);
  return error.code === "unchanged" ? 1 : 2;
}
