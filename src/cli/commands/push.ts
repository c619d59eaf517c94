import { CtxError } from "../../base/errors.js";
import type { Screen } from "../../render/layout.js";
import type { Command } from "../command.js";
import { interruptible } from "../interrupt.js";
import { openStore } from "../open-store.js";
import { ignoringClosedPipe } from "../output.js";
import { print } from "../print.js";
import {
  checkPackSelection,
  parseOutgoingOptions,
  outgoingOptions,
  plainHttpOption,
  parseRemoteOptions,
} from "../registry-options.js";
import { bytesProgress, noticeAbsent } from "../transfer-output.js";

export const push: Command = {
  name: "push",
  summary: "send packs to a registry",
  details:
    "Any registry that keeps container images will do. Only what it lacks is sent, and a push that was cut off goes on where it ended. Every pack gets its own hash as a tag; `:tag` at the end of the address gives it another one. The runs of sub-agents go along. When a secret is found in what would go, nothing is sent.",
  arguments: [
    { name: "pack", summary: "a pack", required: false, many: true, complete: "pack" },
    {
      name: "to",
      summary: "oci://host/repository, with or without :tag, or a remote (see `ctx remote`)",
      required: true,
      complete: "destination",
    },
  ],
  options: [
    ...outgoingOptions,
    { long: "force", short: "f", summary: "move the tag if it names another pack" },
    plainHttpOption,
  ],
  examples: [
    { run: "ctx push latest oci://registry.example.com/team/runs:fix", does: "the last run, as fix" },
    { run: "ctx push latest team --dry-run", does: "what would go to a remote" },
    { run: "ctx push --all team", does: "every pack that is not there yet" },
  ],
  exits: [
    { status: 0, when: "there, all of it" },
    { status: 2, when: "a secret was found, or the registry could not be reached, or refused" },
  ],
  async run(call) {
    const packs = call.arguments.slice(0, -1);
    const to = call.arguments.at(-1) ?? "";
    if (packs.length === 0 && !call.options.has("all"))
      throw new CtxError("usage", "ctx push needs a pack, or --all, and where it goes", {
        hint: "`ctx log` lists packs, and `ctx remote` short names: ctx push latest oci://registry.example.com/team/runs",
      });
    checkPackSelection(call, packs.length);
    const leaving = await parseOutgoingOptions(call);
    const store = openStore(call);
    const ops = await import("../../ops/push.js");
    const progress = bytesProgress(call, "sending");
    const result = await interruptible((signal) =>
      ops.push(store, packs, to, {
        ...leaving,
        ...parseRemoteOptions(call, progress),
        force: call.options.has("force"),
        dryRun: call.options.has("dry-run"),
        signal,
      }),
    ).finally(() => progress.clear());
    const render = async (screen: Screen): Promise<string> => {
      const { renderPush } = await import("../../render/share.js");
      return renderPush(result, screen);
    };
    await ignoringClosedPipe(() => print(call, result, render));
    await noticeAbsent(call, result.absent);
    return 0;
  },
};
