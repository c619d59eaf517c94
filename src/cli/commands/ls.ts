import type { Screen } from "../../render/layout.js";
import type { Command } from "../command.js";
import { openStoreIfAny } from "../open-store.js";
import { progressOn } from "../output.js";
import { noPagerOption } from "../pager.js";
import { print } from "../print.js";
import { plainHttpOption, parseRemoteOptions } from "../registry-options.js";

export const ls: Command = {
  name: "ls",
  summary: "list the packs in a registry",
  details:
    "Newest first, with their tags, and whether they are in this store. What is said of them is the registry's word until they are pulled.",
  arguments: [
    { name: "at", summary: "oci://host/repository, or a remote", required: true, complete: "remote" },
  ],
  options: [plainHttpOption, noPagerOption],
  examples: [
    { run: "ctx ls oci://registry.example.com/team/runs", does: "what is there" },
    { run: "ctx ls team --json | jq -r '.packs[].hash'", does: "their hashes" },
  ],
  exits: [
    { status: 0, when: "listed" },
    { status: 2, when: "the registry could not be reached, or refused" },
  ],
  async run(call) {
    const { ls: list } = await import("../../ops/ls.js");
    const progress = progressOn(call, (done, of) => `${done} of ${of} tags`, 50);
    const result = await list(openStoreIfAny(call), call.arguments[0] ?? "", {
      ...parseRemoteOptions(call, progress),
    }).finally(() => progress.clear());
    const render = async (screen: Screen): Promise<string> => {
      const { renderLs } = await import("../../render/share.js");
      return renderLs(result, screen);
    };
    await print(call, result, render, { paged: true });
    return 0;
  },
};
