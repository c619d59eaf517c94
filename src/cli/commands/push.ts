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
    "Any registry for container images will do. Sends only blobs that the registry does not have, and resumes an interrupted push. Every pack is tagged with its own hash; `:tag` at the end of the address adds another tag. Also sends the runs of sub-agents. If ctx finds a secret in the packs, it sends nothing.",
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
    { long: "force", short: "f", summary: "move the tag if it points to another pack" },
    plainHttpOption,
  ],
  examples: [
    {
      run: "ctx push latest oci://registry.example.com/team/runs:fix",
      does: "send the latest pack, tagged fix",
    },
    { run: "ctx push latest team --dry-run", does: "show what would be sent to a remote" },
    { run: "ctx push --all team", does: "send every pack that is not there yet" },
  ],
  exits: [
    { status: 0, when: "all of it is there" },
    { status: 2, when: "a secret was found, or the registry could not be reached, or refused" },
  ],
  async run(call) {
    const packs = call.arguments.slice(0, -1);
    const to = call.arguments.at(-1) ?? "";
    if (packs.length === 0 && !call.options.has("all"))
      throw new CtxError("usage", "ctx push needs a pack (or --all) and a destination", {
        hint: "`ctx log` lists packs, `ctx remote` lists remotes; for example: ctx push latest oci://registry.example.com/team/runs",
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
