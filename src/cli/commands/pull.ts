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
    "Fetches only blobs that this store does not have, and resumes an interrupted pull. Everything is hashed as it arrives, and checked before any of it becomes part of the store. Also fetches the runs of sub-agents.",
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
      withParents: "also fetch the packs that they were made from, if they are there",
      all: "fetch every pack of the repository",
    }),
    plainHttpOption,
  ],
  examples: [
    { run: "ctx pull oci://registry.example.com/team/runs:good", does: "fetch one run, by its tag" },
    { run: "ctx pull team:9d3c1c2e", does: "fetch one run of a remote, by its hash" },
    { run: "ctx pull team --all", does: "fetch everything that is not here yet" },
  ],
  exits: [
    { status: 0, when: "all of it is here" },
    {
      status: 2,
      when: "a pack is missing or incomplete, or the registry cannot be reached; the store is unchanged",
    },
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
