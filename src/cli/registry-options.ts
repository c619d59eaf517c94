// Options of the commands that talk to a registry (push, pull, remote), and of export, which selects
// packs as push does. What these commands print is in transfer-output.ts.
import { CtxError } from "../base/errors.js";
import type { OutgoingOptions, RemoteOptions } from "../ops/push.js";
import type { Call, Option } from "./command.js";
import { userPaths, registryCredentials } from "./environment.js";
import { notice, type Progress, whileRead } from "./output.js";
import { bytesProgress } from "./transfer-output.js";

/**
 * Returns the options that select more packs than the named ones; only their help differs between commands.
 */
export function selectionOptions(help: { withParents: string; all: string }): Option[] {
  return [
    { long: "with-parents", summary: help.withParents },
    { long: "all", summary: help.all },
  ];
}

export function parseSelection(call: Call): { withParents: boolean; all: boolean } {
  return { withParents: call.options.has("with-parents"), all: call.options.has("all") };
}

/** Options of the commands that send packs: export and push. */
export const outgoingOptions: Option[] = [
  ...selectionOptions({
    withParents: "also include the packs that they were made from, back to the first",
    all: "include every pack of the store",
  }),
  { long: "allow-secrets", summary: "go on even if ctx finds a secret" },
  { long: "dry-run", summary: "show what would be sent or written, and do nothing" },
];

export const plainHttpOption: Option = {
  long: "plain-http",
  summary: "use plain HTTP, which anyone on the network can read; without this option, only for this machine",
};

/** Throws unless packs are named or --all is set, and not both. */
export function checkPackSelection(call: Call, packs: number): void {
  const all = call.options.has("all");
  if (all && packs > 0) throw new CtxError("usage", "--all selects every pack, so name none");
  if (!all && packs === 0)
    throw new CtxError("usage", "name a pack, or use --all", { hint: "`ctx log` lists them" });
}

/** Reads the options that select which packs leave, and prints them before they do. */
export async function parseOutgoingOptions(call: Call, out = call.terminal.out): Promise<OutgoingOptions> {
  const progress = bytesProgress(call, "scanning for secrets:");
  const { renderLeaving } = await import("../render/share.js");
  return {
    ...(call.json
      ? {}
      : { before: (packs, personal) => whileRead(out).write(renderLeaving(packs, personal, out.screen)) }),
    ...parseSelection(call),
    allowSecrets: call.options.has("allow-secrets"),
    user: userPaths(call.terminal.env),
    scanned: (done, of) => (done < of ? progress.show(done, of) : progress.clear()),
  };
}

/** Returns how to talk to a registry, with progress and retries on the terminal. */
export function parseRemoteOptions(call: Call, progress: Progress): RemoteOptions {
  return {
    user: userPaths(call.terminal.env),
    wallet: registryCredentials(call.terminal.env),
    plainHttp: call.options.has("plain-http"),
    progress: (done, of) => progress.show(done, of),
    waiting(why) {
      if (call.json || !call.terminal.error.isTerminal) return;
      progress.clear();
      notice(call, `${why}; retrying`);
    },
  };
}
