import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { notice } from "../output.js";
import { print } from "../print.js";

export const rm: Command = {
  name: "rm",
  summary: "remove packs from the store",
  details: "Their contents stay until `ctx gc` removes them. Packing the same log again restores a pack.",
  arguments: [{ name: "pack", summary: "a pack", required: true, many: true, complete: "pack" }],
  options: [
    {
      long: "force",
      short: "f",
      summary:
        "remove it even if other packs were made from it or called it as a sub-agent, or tags point to it; also removes those tags",
    },
  ],
  examples: [{ run: "ctx rm 47d75f33 --force", does: "remove it and its tags" }],
  exits: [
    { status: 0, when: "done" },
    { status: 2, when: "there is no such pack, or it is still referenced" },
  ],
  async run(call) {
    const ops = await import("../../ops/rm.js");
    const result = ops.rm(openStore(call), call.arguments, { force: call.options.has("force") });
    await print(call, result, async () => {
      const { renderRm } = await import("../../render/gc.js");
      return renderRm(result);
    });
    if ((result.callers ?? []).length > 0)
      notice(call, `packs that called the removed pack as a sub-agent: ${result.callers?.length}`);
    if (result.children.length > 0)
      notice(
        call,
        `packs that were made from the removed packs: ${result.children.length} (\`ctx log --graph\`)`,
      );
    return 0;
  },
};
