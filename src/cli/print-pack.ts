// Prints what sealing one log, draft or session led to: a pack, or the reason why there is none.
import { basename } from "node:path";
import { hexOf } from "../base/digest.js";
import type { CtxError } from "../base/errors.js";
import { someOf } from "../base/lists.js";
import type { Screen } from "../render/layout.js";
import type { PackResult } from "../results/results.js";
import type { Store } from "../store/store.js";
import type { Call } from "./command.js";
import { notice, noticeEach, repairNotice, writeError, writeJson } from "./output.js";

/** `line` is what a person sees in place of the URI. */
export function printPack(
  call: Call,
  result: PackResult,
  out = call.terminal.out,
  line: string = result.uri,
): void {
  if (call.json) writeJson({ out }, result);
  else out.write(`${line}\n`);
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

/** Returns what renders a pack on one line: its short hash, its title and the name of its log. */
export async function packLine(store: Store, screen: Screen): Promise<(result: PackResult) => string> {
  const { packTitle } = await import("../store/titles.js");
  const { fit, painter, shortHash, widthOf } = await import("../render/layout.js");
  const paint = painter(screen);
  return ({ hash, source }) => {
    const file = fit(basename(source), Math.floor(screen.width / 3));
    const room = Math.max(screen.width - 12 - 4 - widthOf(file), 8);
    const title = fit(packTitle(store.root, hexOf(hash)) ?? "(no title)", room);
    return `${paint("yellow", shortHash(hash))}  ${title}  ${paint("dim", file)}`;
  };
}
