import { CtxError } from "../../base/errors.js";
import type { RemoteResult } from "../../results/share.js";
import type { Screen } from "../../render/layout.js";
import type { Call, Command } from "../command.js";
import { openStoreIfAny } from "../open-store.js";
import { notice, progressOn } from "../output.js";
import { noPagerOption } from "../pager.js";
import { print } from "../print.js";
import { parseRemoteOptions, plainHttpOption } from "../registry-options.js";
import { userPaths } from "../environment.js";

const actions = ["add", "rm", "ls"] as const;

export const remote: Command = {
  name: "remote",
  summary: "name registries, and list the packs in one",
  details:
    "`ctx remote` lists your short names for registries; `add` and `rm` change them. `ls` lists the packs in a registry, newest first, with their tags and whether they are in this store; until you pull a pack, this is only what the registry claims. The names are yours and the same in every folder. They are kept in your own settings, because a store that came from someone else must not decide where your packs go.",
  arguments: [
    {
      name: "action",
      summary: "add, rm or ls; without it, ctx lists your remotes",
      required: false,
      complete: actions,
    },
    {
      name: "name",
      summary: "the short name; for ls also oci://host/repository",
      required: false,
      complete: "remote",
    },
    { name: "url", summary: "for add: oci://host/repository", required: false },
  ],
  options: [plainHttpOption, noPagerOption],
  examples: [
    { run: "ctx remote add lab oci://registry.example.com/lab/runs", does: "name a registry lab" },
    { run: "ctx remote", does: "list your remotes" },
    { run: "ctx remote ls lab", does: "list the packs in it" },
    { run: "ctx remote ls lab --json | jq -r '.packs[].hash'", does: "print their hashes" },
    { run: "ctx remote rm old", does: "remove a name" },
  ],
  exits: [
    { status: 0, when: "done" },
    {
      status: 2,
      when: "the name does not exist or is taken, or the registry could not be reached or refused",
    },
  ],
  async run(call) {
    const [action, name, url] = call.arguments;
    if (call.options.has("plain-http") && action !== "add" && action !== "ls")
      throw new CtxError("usage", "--plain-http is only for add and ls");
    if (call.options.has("no-pager") && action !== "ls")
      throw new CtxError("usage", "--no-pager is only for ls");
    if (action === "ls") return await listPacks(call);
    const ops = await import("../../ops/remote.js");
    const user = userPaths(call.terminal.env);
    if (action === undefined) return await printRemotes(call, ops.listRemotes(user));
    if (name === undefined || (action === "add") !== (url !== undefined))
      throw new CtxError("usage", "ctx remote takes `add <name> <url>`, `rm <name>`, `ls <name>` or nothing");
    if (action === "rm") return await printRemotes(call, ops.removeRemote(user, name), true);
    const plain = call.options.has("plain-http") ? { plain_http: true as const } : {};
    return await printRemotes(call, ops.addRemote(user, { name, url: url ?? "", ...plain }), true);
  },
};

/** Prints the packs in the registry that was named. */
async function listPacks(call: Call): Promise<number> {
  const [, at, another] = call.arguments;
  if (at === undefined || another !== undefined)
    throw new CtxError("usage", "ctx remote ls needs one remote, or oci://host/repository", {
      hint: "`ctx remote` lists your remotes; `ctx log` lists the packs in this store",
    });
  const { ls } = await import("../../ops/remote-ls.js");
  const progress = progressOn(call, (done, of) => `${done} of ${of} tags`, 50);
  const result = await ls(openStoreIfAny(call), at, parseRemoteOptions(call, progress)).finally(() =>
    progress.clear(),
  );
  const render = async (screen: Screen): Promise<string> => {
    const { renderLs } = await import("../../render/share.js");
    return renderLs(result, screen);
  };
  await print(call, result, render, { paged: true });
  return 0;
}

/** Prints the remotes. After a change only under --json: people did not ask for the list. */
async function printRemotes(call: Call, result: RemoteResult, isChange = false): Promise<number> {
  await print(call, result, async () => {
    if (isChange) return "";
    const { renderRemotes } = await import("../../render/share.js");
    return renderRemotes(result);
  });
  if (!isChange && result.remotes.length === 0 && !call.json)
    notice(call, "there are no remotes yet; `ctx remote add <name> oci://<host>/<repository>` adds one");
  return 0;
}
