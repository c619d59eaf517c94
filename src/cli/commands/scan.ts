import { CtxError } from "../../base/errors.js";
import type { Command } from "../command.js";
import { openStore, openStoreIfAny } from "../open-store.js";
import { progressOn, unread, writeJson } from "../output.js";
import { noPagerOption, page } from "../pager.js";
import { userPlace } from "../environment.js";

export const scan: Command = {
  name: "scan",
  summary: "look for secrets in files and packs, and change nothing",
  details:
    "Says where a credential stands and which rule found it, never what it is. For packs that were sealed with masking off, or before the rules knew; and for a log before it is packed. Without arguments every pack of the store is looked through. Files need no store.",
  arguments: [
    {
      name: "target",
      summary: "a file, a pack, or - for standard input; what exists as a file is one",
      required: false,
      many: true,
      complete: "file",
    },
  ],
  options: [
    { long: "file", summary: "the targets are files" },
    { long: "pack", summary: "the targets are packs" },
    { long: "strict", summary: "also what is probably no secret, as `ctx pack --redact strict` does" },
    noPagerOption,
  ],
  examples: [
    { run: "ctx scan", does: "every pack of this store" },
    { run: "ctx scan latest", does: "the pack last added" },
    { run: "ctx scan run.json", does: "a log, before it is packed" },
    { run: "ctx scan --json | jq '.targets[].finds'", does: "the places, for a script" },
  ],
  exits: [
    { status: 0, when: "nothing was found" },
    { status: 1, when: "something was found" },
    { status: 2, when: "nothing was found, but something could not be looked at" },
  ],
  async run(call) {
    if (call.options.has("file") && call.options.has("pack"))
      throw new CtxError("usage", "--file and --pack cannot be given together");
    const as = call.options.has("file") ? "file" : call.options.has("pack") ? "pack" : undefined;
    const ops = await import("../../ops/scan.js");
    const { scanAll } = await import("../../ops/scan.js");
    const where = { as, folder: call.folder } as const;
    const isNeeded = ops.needsStore(call.arguments, where);
    const store = isNeeded ? openStore(call) : openStoreIfAny(call);
    const progress = progressOn(call, (done, of) => `${done} of ${of} packs`, 100);
    const result = scanAll(store, call.arguments, {
      ...where,
      redact: call.options.has("strict") ? "strict" : undefined,
      user: userPlace(call.terminal.env),
      input: () => call.terminal.input(),
      progress: (done, of) => progress.show(done, of),
    });
    progress.clear();
    await unread(async () => {
      if (call.json) {
        writeJson(call.terminal, result);
        return;
      }
      const { renderScan } = await import("../../render/scan.js");
      await page(call, renderScan(result, call.terminal.out.screen));
    });
    return result.exit;
  },
};
