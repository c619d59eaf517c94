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
    "The store is a .ctx folder with packs and blobs. Commands find it from any folder below, as git finds .git. Only you can read it, and git ignores it, through its own .gitignore and, in a git work tree, git's info/exclude. --shared makes a store that a team commits.",
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
      summary: "make a store that a team commits: modes follow the umask, and git does not ignore it",
    },
  ],
  examples: [
    { run: "ctx init", does: "make a private store here" },
    { run: "ctx init --shared team-runs", does: "make a store to commit" },
    { run: "ctx init ~/agent-runs", does: "make a store elsewhere" },
  ],
  exits: [
    { status: 0, when: "the store is there now, or was already" },
    { status: 2, when: "the store could not be made" },
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
      const made = `${result.created ? "made the store" : "the store already exists:"} ${printable(result.store)}\n`;
      if (result.excluded === undefined) return made;
      const excluded = printable(shownPath(call, result.excluded));
      return `${made}only you can read it, and git ignores it (its own .gitignore, and ${excluded}); use --shared for a store to commit\n`;
    });
    for (const line of result.notices) notice(call, line);
    if (!result.created && shared && !result.shared)
      notice(call, "the store is private; `ctx doctor --fix --shared` makes it shared");
    return 0;
  },
};
