import { CtxError } from "../../base/errors.js";
import type { RemoteResult } from "../../results/share.js";
import type { Call, Command } from "../command.js";
import { writeJson } from "../output.js";
import { plainHttpOption } from "../sharing.js";
import { userPlace } from "../environment.js";

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
    const [what, name, url] = call.arguments;
    const user = userPlace(call.terminal.env);
    if (call.options.has("plain-http") && what !== "add")
      throw new CtxError("usage", "--plain-http goes with add");
    if (what === undefined) return await print(call, ops.listRemotes(user));
    if (name === undefined || (what === "add") !== (url !== undefined))
      throw new CtxError("usage", "ctx remote takes nothing, `add <name> <url>` or `rm <name>`");
    if (what === "rm") return await print(call, ops.removeRemote(user, name), true);
    const plain = call.options.has("plain-http") ? { plain_http: true as const } : {};
    return await print(call, ops.addRemote(user, { name, url: url ?? "", ...plain }), true);
  },
};

/** A change is not worth a list, except to a program. */
async function print(call: Call, result: RemoteResult, isChange = false): Promise<number> {
  if (call.json) writeJson(call.terminal, result);
  else if (!isChange) {
    const { renderRemotes } = await import("../../render/share.js");
    call.terminal.out.write(renderRemotes(result));
  }
  return 0;
}
