import { CtxError } from "../../base/errors.js";
import type { RemoteResult } from "../../results/share.js";
import type { Call, Command } from "../command.js";
import { print } from "../print.js";
import { plainHttpOption } from "../registry-options.js";
import { userPaths } from "../environment.js";

export const remote: Command = {
  name: "remote",
  summary: "list short names for registries, add one, or remove one",
  details:
    "The names are yours and the same in every folder: they are kept in your own settings, because a store that came from somebody else must not say where your packs go.",
  arguments: [
    { name: "do", summary: "add, or rm; nothing lists them", required: false, complete: ["add", "rm"] },
    { name: "name", summary: "the short name", required: false, complete: "remote" },
    { name: "url", summary: "oci://host/repository", required: false },
  ],
  options: [plainHttpOption],
  examples: [
    { run: "ctx remote add lab oci://registry.example.com/lab/runs", does: "call it lab" },
    { run: "ctx remote", does: "list them" },
    { run: "ctx remote rm old", does: "forget one" },
  ],
  exits: [
    { status: 0, when: "done" },
    { status: 2, when: "there is no such name, or it is taken" },
  ],
  async run(call) {
    const ops = await import("../../ops/remote.js");
    const [action, name, url] = call.arguments;
    const user = userPaths(call.terminal.env);
    if (call.options.has("plain-http") && action !== "add")
      throw new CtxError("usage", "--plain-http goes with add");
    if (action === undefined) return await printRemotes(call, ops.listRemotes(user));
    if (name === undefined || (action === "add") !== (url !== undefined))
      throw new CtxError("usage", "ctx remote takes nothing, `add <name> <url>` or `rm <name>`");
    if (action === "rm") return await printRemotes(call, ops.removeRemote(user, name), true);
    const plain = call.options.has("plain-http") ? { plain_http: true as const } : {};
    return await printRemotes(call, ops.addRemote(user, { name, url: url ?? "", ...plain }), true);
  },
};

/** Prints the remotes. After a change only under --json: people did not ask for the list. */
async function printRemotes(call: Call, result: RemoteResult, isChange = false): Promise<number> {
  await print(call, result, async () => {
    if (isChange) return "";
    const { renderRemotes } = await import("../../render/share.js");
    return renderRemotes(result);
  });
  return 0;
}
