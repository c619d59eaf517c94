import { type Command, oneOf } from "../command.js";
import { openStore } from "../open-store.js";
import { print } from "../print.js";
import { userPaths } from "../environment.js";

export const trust: Command = {
  name: "trust",
  summary: "trust the programs in a store's config, so that replays can run them",
  details:
    "A store can come from someone else, and its config.json can name adapters and MCP servers. ctx does not run them until you trust exactly this content; it stops again when the config changes, or a file of the repository that it names, or one next to it. Programs in your own config need no trust. Hooks and `ctx pack --discover` put your sessions into a store that is shared, or that others can read, only once you trust it; --forget revokes both.",
  arguments: [],
  options: [
    ...oneOf([
      { long: "list", summary: "only show what would run, and whether it is trusted" },
      { long: "forget", summary: "revoke the trust" },
    ]),
  ],
  examples: [
    { run: "ctx trust", does: "trust the store here" },
    { run: "ctx trust --list", does: "see what would run, and whether it is trusted" },
  ],
  exits: [
    { status: 0, when: "done" },
    { status: 1, when: "with --list: it is not trusted" },
    {
      status: 2,
      when: "the config cannot be read, or names a program that is not in a small folder of its own",
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
