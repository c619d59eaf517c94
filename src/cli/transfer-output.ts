// What the commands that send and receive packs print: progress in bytes, packs that arrived, packs that are
// missing. Their options are in registry-options.ts.
import type { AbsentPack, ImportResult, PullResult } from "../results/share.js";
import { sizeText } from "../render/layout.js";
import type { Call } from "./command.js";
import { ignoringClosedPipe, notice, noticeEach, type Progress, progressOn, repairNotice } from "./output.js";
import { print } from "./print.js";

/** `12 MB of 500 MB, 2 %` */
export function bytesProgress(call: Call, activity: string): Progress {
  return progressOn(
    call,
    (done, of) => `${activity} ${sizeText(done)} of ${sizeText(of)}, ${Math.floor((100 * done) / of)} %`,
    1 << 20,
  );
}

/** Prints the packs that arrived, one per line, and a summary on a terminal. */
export async function printArrived(
  call: Call,
  result: ImportResult,
  traffic?: Pick<PullResult, "received" | "resumed">,
): Promise<void> {
  const { error } = call.terminal;
  const { arrivalSummary, renderArrived } = await import("../render/share.js");
  await ignoringClosedPipe(() => print(call, result, () => renderArrived(result)));
  if (!call.json && error.isTerminal) error.write(arrivalSummary(result, error.screen, traffic));
  const repaired = result.packs.flatMap((pack) => pack.repaired ?? []);
  noticeEach(call, repaired.map(repairNotice), "damaged objects that are repaired now");
  noticeEach(call, result.notices, "notes; --json shows all");
  await noticeAbsent(call, result.absent);
}

/** Prints notices about packs that are named by others but not in the store. */
export async function noticeAbsent(call: Call, absent: readonly AbsentPack[]): Promise<void> {
  const { absentNotices } = await import("../render/share.js");
  const maxNotices = 5;
  for (const text of absentNotices(absent.slice(0, maxNotices))) notice(call, text);
  if (absent.length > maxNotices)
    notice(call, `and ${absent.length - maxNotices} more that are not in this store`);
}
