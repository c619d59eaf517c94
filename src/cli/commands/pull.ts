import type { Command } from "../command.js";
import { interruptible } from "../interrupt.js";
import { openStore } from "../open-store.js";
import {
  plainHttpOption,
  parseRemoteOptions,
  parseSelection,
  selectionOptions,
} from "../registry-options.js";
import { bytesProgress, printArrived } from "../transfer-output.js";

export const pull: Command = {
  name: "pull",
  summary: "fetch packs from a registry",
  details:
    "Only what this store lacks is fetched, and a pull that was cut off goes on where it ended. Everything is hashed as it comes, and checked before any of it becomes part of the store. The runs of sub-agents come along.",
  arguments: [
    {
      name: "from",
      summary: "oci://host/repository or a remote, with :tag, :<first digits of a hash> or @sha256:<hash>",
      required: true,
      complete: "remote",
    },
  ],
  options: [
    ...selectionOptions({
      withParents: "also the packs that they were made from, as far as they are there",
      all: "every pack of the repository",
    }),
    plainHttpOption,
  ],
  examples: [
    { run: "ctx pull oci://registry.example.com/team/runs:good", does: "one run, by its tag" },
    { run: "ctx pull team:9d3c1c2e", does: "one run of a remote, by its hash" },
    { run: "ctx pull team --all", does: "all that is there and not here" },
  ],
  exits: [
    { status: 0, when: "here, all of it" },
    { status: 2, when: "it is not there, cannot be reached, or is not whole; the store is as it was" },
  ],
  async run(call) {
    const store = openStore(call);
    const ops = await import("../../ops/pull.js");
    const progress = bytesProgress(call, "receiving");
    const result = await interruptible((signal) =>
      ops.pull(store, call.arguments[0] ?? "", {
        ...parseRemoteOptions(call, progress),
        ...parseSelection(call),
        signal,
      }),
    ).finally(() => progress.clear());
    await printArrived(call, result, result);
    return 0;
  },
};
