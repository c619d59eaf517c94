import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { notice } from "../output.js";
import { print } from "../print.js";

export const rm: Command = {
  name: "rm",
  summary: "remove packs from the store",
  details: "Their contents stay until `ctx gc`, and packing the same log again brings them back.",
  arguments: [{ name: "pack", summary: "a pack", required: true, many: true, complete: "pack" }],
  options: [
    {
      long: "force",
      short: "f",
      summary:
        "even if packs were made from it, name it as a sub-agent's run, or tags name it; those tags go, too",
    },
  ],
  examples: [{ run: "ctx rm 47d75f33 --force", does: "take it out, and its tags" }],
  exits: [
    { status: 0, when: "done" },
    { status: 2, when: "there is no such pack, or something still names it" },
  ],
  async run(call) {
    const ops = await import("../../ops/rm.js");
    const result = ops.rm(openStore(call), call.arguments, { force: call.options.has("force") });
    await print(call, result, async () => {
      const { renderRm } = await import("../../render/gc.js");
      return renderRm(result);
    });
    if ((result.callers ?? []).length > 0)
      notice(call, `packs that name a sub-agent's run that is gone now: ${result.callers?.length}`);
    if (result.children.length > 0)
      notice(
        call,
        `packs that were made from what is gone now: ${result.children.length} (\`ctx log --graph\`)`,
      );
    return 0;
  },
};
