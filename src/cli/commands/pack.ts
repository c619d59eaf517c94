import { dirname, resolve } from "node:path";
import { CtxError } from "../../base/errors.js";
import type { PackResult } from "../../model/results.js";
import type { Store } from "../../store/store.js";
import type { Call, Command } from "../command.js";
import { openStore } from "../open.js";
import { notice, writeError, writeJson } from "../output.js";

export const pack: Command = {
  name: "pack",
  summary: "seal execution logs and drafts into packs",
  details:
    "Reads each log, stores what it holds, and prints the pack's URI, one a line. A log packed twice gives the same pack. A draft that is still what its parent is seals into nothing. Beside outputs that lie on disk with the recorded content it writes a sidecar, <name>.ctx.json, that says which pack they came from.",
  arguments: [
    {
      name: "log",
      summary: "an execution log, the folder of a draft, or - for standard input",
      required: true,
      many: true,
      complete: "log",
    },
  ],
  options: [
    {
      long: "created",
      value: "time",
      summary: "when the run took place, instead of what the log says (RFC 3339)",
    },
    { long: "tag", value: "name", summary: "give the pack this name; for one log only" },
    { long: "no-sidecars", summary: "write no sidecars" },
    { long: "allow-empty", summary: "seal a draft even if nothing in it differs from its parent" },
    { long: "rm", summary: "remove the draft once its pack is durable" },
  ],
  examples: [
    { run: "ctx pack run.json", does: "seal one run" },
    { run: "ctx pack runs/*.json", does: "seal many, in order" },
    { run: "ctx pack run.json --tag baseline", does: "seal one and name it" },
    { run: "my-agent --log - | ctx pack -", does: "seal what a program writes" },
    { run: "ctx pack --rm my-draft", does: "seal a draft, and take it away" },
  ],
  exits: [
    { status: 0, when: "every log was sealed, or had been" },
    { status: 1, when: "a draft is still what its parent is; the others were sealed" },
    { status: 2, when: "a log could not be sealed; the others were" },
  ],
  async run(call) {
    const { pack } = await import("../../ops/pack.js");
    const tag = call.options.get("tag");
    if (tag !== undefined) await checkTag(tag, call.arguments.length);
    const store = openStore(call);
    const created = call.options.get("created");
    const options = {
      sidecars: !call.options.has("no-sidecars"),
      allowEmpty: call.options.has("allow-empty"),
      ...(created === undefined ? {} : { created }),
    };
    let status = 0;
    for (const log of call.arguments) {
      try {
        const input =
          log === "-"
            ? { bytes: call.terminal.readInput(), folder: call.folder, source: "-" }
            : { file: resolve(call.folder, log), source: log };
        const result = pack(store, input, { ...options, remove: removal(call, log) });
        printPack(call, result);
        if (tag !== undefined) await nameIt(store, tag, result.uri);
      } catch (error) {
        // One bad log must not keep the others out.
        if (!(error instanceof CtxError)) throw error;
        status = Math.max(status, reportFailure(call, error));
      }
    }
    return status;
  },
};

async function checkTag(tag: string, logs: number): Promise<void> {
  if (logs > 1) throw new CtxError("usage", "--tag names one pack, and there are several logs");
  const { checkTagName } = await import("../../ops/tag.js");
  checkTagName(tag);
}

/** A pack that has the name already is content: packing twice is not an error. */
async function nameIt(store: Store, tag: string, uri: string): Promise<void> {
  const { listTags, setTag } = await import("../../ops/tag.js");
  const named = listTags(store).some(
    ({ name, hash }) => name === tag && hash !== null && uri.endsWith(hash.slice("sha256:".length)),
  );
  if (!named) setTag(store, tag, { pack: uri });
}

/** Nobody's own folder is removed under their feet. */
function removal(call: Call, log: string): boolean | "content" {
  if (!call.options.has("rm")) return false;
  const path = resolve(call.folder, log);
  return [path, dirname(path)].includes(call.terminal.folder) ? "content" : true;
}

/** Says why there is no pack, and gives the exit status: that nothing changed is an answer, anything else a failure. */
export function reportFailure(call: Call, error: CtxError): number {
  writeError(call.terminal, call.json, error);
  return error.code === "unchanged" ? 1 : 2;
}

export function printPack(call: Call, result: PackResult): void {
  if (call.json) writeJson(call.terminal, result);
  else call.terminal.out.write(`${result.uri}\n`);
  for (const reference of result.repaired)
    notice(call, `${reference} was damaged in the store, and is repaired`);
  for (const text of result.notices) notice(call, text);
  const absent = result.outputs_absent;
  if (absent.length > 0)
    notice(call, `no sidecar for what is not on disk with the recorded content: ${absent.join(", ")}`);
}
