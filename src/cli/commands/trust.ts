import { type Command, oneOf } from "../command.js";
import { openStore } from "../open-store.js";
import { print } from "../print.js";
import { userPaths } from "../environment.js";

export const trust: Command = {
  name: "trust",
  summary: "let replays run the programs in the store's config",
  details:
    "A store can come from another person, and its config.json can name adapters and MCP servers. They are inert until you trust just this content: when a byte of it changes, or a file of the repository that they name or one beside it, they are inert again. Those in your own config need no trust. A store that is shared, or that others can read, takes your sessions from hooks and `ctx pack --discover` once you trust it; --forget takes that back, too.",
  arguments: [],
  options: [
    ...oneOf([
      { long: "list", summary: "only show what there is, and whether it is trusted" },
      { long: "forget", summary: "trust it no longer" },
    ]),
  ],
  examples: [
    { run: "ctx trust", does: "let it run" },
    { run: "ctx trust --list", does: "see what would run, and whether it may" },
  ],
  exits: [
    { status: 0, when: "done" },
    { status: 1, when: "with --list: it is not trusted" },
    {
      status: 2,
      when: "the config cannot be read, or names a program that does not lie in a small folder of its own",
    },
  ],
  async run(call) {
    const isList = call.options.has("list");
    const ops = await import("../../ops/trust.js");
    const result = ops.trust(openStore(call), {
      user: userPaths(call.terminal.env),
      action: isList ? "look" : call.options.has("forget") ? "forget" : "trust",
    });
    await print(call, result, async (screen) => {
      const { renderTrust } = await import("../../render/trust.js");
      return renderTrust(result, screen);
    });
    return isList && !result.trusted ? 1 : 0;
  },
};
