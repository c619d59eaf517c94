import { resolve } from "node:path";
import { printable } from "../../base/printable.js";
import type { Command } from "../command.js";
import { notice, shownPath } from "../output.js";
import { print } from "../print.js";
import { userPaths } from "../environment.js";

export const init: Command = {
  name: "init",
  summary: "make a store in this folder",
  details:
    "Makes a .ctx folder, which holds packs and blobs. Commands find it from any folder below, as git finds .git. Only you can read it, and git ignores it: its own .gitignore says so, and in a git work tree git's info/exclude does too. --shared makes one that a team commits.",
  arguments: [
    {
      name: "dir",
      summary: "the folder to make it in (default: this one)",
      required: false,
      complete: "folder",
    },
  ],
  options: [
    {
      long: "shared",
      summary: "make a store that a team commits: as readable as the umask says, and not ignored by git",
    },
  ],
  examples: [
    { run: "ctx init", does: "make a store here, for you alone" },
    { run: "ctx init --shared team-runs", does: "make one to commit" },
    { run: "ctx init ~/agent-runs", does: "make one elsewhere" },
  ],
  exits: [
    { status: 0, when: "there is a store now, new or not" },
    { status: 2, when: "it could not be made" },
  ],
  async run(call) {
    const {
      arguments: [dir],
      folder,
      terminal,
      options,
    } = call;
    const ops = await import("../../ops/init.js");
    const shared = options.has("shared");
    const result = ops.init(resolve(folder, dir ?? "."), {
      shared,
      env: terminal.env,
      from: folder,
      state: userPaths(terminal.env).state,
    });
    await print(call, result, () => {
      const made = `${result.created ? "made the store" : "there is a store already:"} ${printable(result.store)}\n`;
      if (result.excluded === undefined) return made;
      const excluded = printable(shownPath(call, result.excluded));
      return `${made}only you can read it, and git ignores it (its own .gitignore, and ${excluded}); --shared makes one to commit\n`;
    });
    for (const line of result.notices) notice(call, line);
    if (!result.created && shared && !result.shared)
      notice(call, "it is not shared; `ctx doctor --fix --shared` makes it a store to commit");
    return 0;
  },
};
