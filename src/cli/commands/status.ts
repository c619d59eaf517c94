import { resolve } from "node:path";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { shownPath } from "../output.js";
import { print } from "../print.js";
import { userPaths } from "../environment.js";

export const status: Command = {
  name: "status",
  summary: "list drafts, and what was edited in each",
  arguments: [
    {
      name: "dir",
      summary: "a draft outside the store (default: those in the store)",
      required: false,
      many: true,
      complete: "log",
    },
  ],
  options: [],
  examples: [
    { run: "ctx status", does: "list the drafts of this store" },
    { run: "ctx status --json", does: "print them for a script" },
  ],
  exits: [
    { status: 0, when: "listed, whatever state the drafts are in" },
    { status: 2, when: "the store could not be read" },
  ],
  async run(call) {
    const ops = await import("../../ops/status.js");
    const store = openStore(call);
    const folders = call.arguments.map((dir) => resolve(call.folder, dir));
    const result = ops.status(store, folders.length === 0 ? undefined : folders, {
      user: userPaths(call.terminal.env),
    });
    await print(call, result, async (screen) => {
      const { renderStatus } = await import("../../render/status.js");
      const drafts = result.drafts.map((draft) => ({ ...draft, draft: shownPath(call, draft.draft) }));
      return renderStatus({ drafts }, screen);
    });
    return 0;
  },
};
