// Options and output that the commands for bundles and registries share.
import { CtxError } from "../base/errors.js";
import type { AbsentPack, ImportResult, PullResult } from "../results/share.js";
import type { LeavingOptions, RemoteOptions } from "../ops/push.js";
import { sizeText } from "../render/layout.js";
import type { Call, Option } from "./command.js";
import { ClosedPipe, type Stream } from "./terminal.js";
import { notice, noticeEach, type Progress, progressOn, repairNotice, unread } from "./output.js";
import { print } from "./print.js";
import { userPlace, walletOf } from "./environment.js";

export const leavingOptions: Option[] = [
  { long: "with-parents", summary: "also the packs that they were made from, back to the first" },
  { long: "all", summary: "every pack of the store" },
  { long: "allow-secrets", summary: "even if a secret is found in what goes" },
  { long: "dry-run", summary: "say what would go, and send nothing" },
];

export const plainHttpOption: Option = {
  long: "plain-http",
  summary: "talk plain HTTP, which everybody on the way can read; without it only to this machine",
};

/** Throws unless packs are named or --all is set, and not both. */
export function checkNamed(call: Call, packs: number): void {
  const all = call.options.has("all");
  if (all && packs > 0) throw new CtxError("usage", "--all means every pack: name none with it");
  if (!all && packs === 0)
    throw new CtxError("usage", "name a pack, or all with --all", { hint: "`ctx log` lists them" });
}

/** Reads the options that select which packs leave, and prints them before they do. */
export async function leavingFrom(call: Call, out = call.terminal.out): Promise<LeavingOptions> {
  const progress = bytesProgress(call, "looking for secrets in");
  const { renderLeaving } = await import("../render/share.js");
  return {
    ...(call.json
      ? {}
      : { before: (going, personal) => writeBefore(out, renderLeaving(going, personal, out.screen)) }),
    all: call.options.has("all"),
    withParents: call.options.has("with-parents"),
    allowSecrets: call.options.has("allow-secrets"),
    user: userPlace(call.terminal.env),
    scanned: (done, of) => (done < of ? progress.show(done, of) : progress.clear()),
  };
}

/** Writes before the work begins. A closed pipe does not stop the work. */
function writeBefore(out: Stream, text: string): void {
  try {
    out.write(text);
  } catch (error) {
    if (!(error instanceof ClosedPipe)) throw error;
  }
}

/** `12 MB of 500 MB, 2 %` */
export function bytesProgress(call: Call, doing: string): Progress {
  return progressOn(
    call,
    (done, of) => `${doing} ${sizeText(done)} of ${sizeText(of)}, ${Math.floor((100 * done) / of)} %`,
    1 << 20,
  );
}

/** Returns how to talk to a registry, with progress and retries on the terminal. */
export function remoteFrom(call: Call, progress: Progress): RemoteOptions {
  return {
    user: userPlace(call.terminal.env),
    wallet: walletOf(call.terminal.env),
    plainHttp: call.options.has("plain-http"),
    progress: (done, of) => progress.show(done, of),
    waiting(why) {
      if (call.json || !call.terminal.error.isTerminal) return;
      progress.clear();
      notice(call, `${why}; trying again`);
    },
  };
}

/** Prints the packs that arrived, one per line, and a summary on a terminal. */
export async function printArrived(
  call: Call,
  result: ImportResult,
  traffic?: Pick<PullResult, "received" | "resumed">,
): Promise<void> {
  const { error } = call.terminal;
  const { arrivalSummary, renderArrived } = await import("../render/share.js");
  await unread(() => print(call, result, () => renderArrived(result)));
  if (!call.json && error.isTerminal) error.write(arrivalSummary(result, traffic));
  const repaired = result.packs.flatMap((pack) => pack.repaired ?? []);
  noticeEach(call, repaired.map(repairNotice), "objects that were damaged, and are repaired");
  noticeEach(call, result.notices, "notes; --json has all of them");
  await noticeAbsent(call, result.absent);
}

/** Prints notices about packs that are named by others but not in the store. */
export async function noticeAbsent(call: Call, absent: readonly AbsentPack[]): Promise<void> {
  const { absentNotices } = await import("../render/share.js");
  const most = 5;
  for (const text of absentNotices(absent.slice(0, most))) notice(call, text);
  if (absent.length > most) notice(call, `and ${absent.length - most} more that are not in this store`);
}
