import { resolve } from "node:path";
import { printable } from "../../base/printable.js";
import type { Command } from "../command.js";
import { writeJson } from "../output.js";

export const init: Command = {
  name: "init",
  summary: "make a store in this folder",
  details:
    "Makes a .ctx folder, which holds packs and blobs. Commands find it from any folder below, as git finds .git.",
  arguments: [
    {
      name: "dir",
      summary: "the folder to make it in (default: this one)",
      required: false,
      complete: "folder",
    },
  ],
  options: [],
  examples: [
    { run: "ctx init", does: "make a store here" },
    { run: "ctx init ~/agent-runs", does: "make one elsewhere" },
  ],
  exits: [
    { status: 0, when: "there is a store now, new or not" },
    { status: 2, when: "it could not be made" },
  ],
  async run({ arguments: [dir], folder, json, terminal }) {
    const ops = await import("../../ops/init.js");
    const result = ops.init(resolve(folder, dir ?? "."));
    if (json) writeJson(terminal, result);
    else
      terminal.out.write(
        `${result.created ? "made the store" : "there is a store already:"} ${printable(result.store)}\n`,
      );
    return 0;
  },
};
