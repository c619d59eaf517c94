import type { Screen } from "../../render/layout.js";
import { isFileTarget, type TargetOptions } from "../../store/resolve.js";
import type { Store } from "../../store/store.js";
import type { Call, Command } from "../command.js";
import { openStore, openStoreIfAny } from "../open-store.js";
import { progressOn, ignoringClosedPipe } from "../output.js";
import { runNameOf } from "../pack-arguments.js";
import { noPagerOption } from "../pager.js";
import { print } from "../print.js";
import { targetKind, targetOptions } from "../shared-options.js";
import { userPaths } from "../environment.js";

export const scan: Command = {
  name: "scan",
  summary: "scan files and packs for secrets",
  details:
    "Prints where a credential is and which rule found it, never the credential itself. Use it for packs that were sealed with masking off or with older rules, and for logs before you pack them. Without arguments, scans every pack of the store. Files need no store.",
  arguments: [
    {
      name: "target",
      summary: "a file, a pack, a session's id, or - for standard input; an existing file comes first",
      required: false,
      many: true,
      complete: "file",
    },
  ],
  options: [
    ...targetOptions,
    {
      long: "strict",
      summary: "also report values that may not be secrets, as `ctx pack --redact strict` masks them",
    },
    noPagerOption,
  ],
  examples: [
    { run: "ctx scan", does: "scan every pack of this store" },
    { run: "ctx scan latest", does: "scan the pack added last" },
    { run: "ctx scan run.json", does: "scan a log before you pack it" },
    { run: "ctx scan --json | jq '.targets[].finds'", does: "print the places, for a script" },
  ],
  exits: [
    { status: 0, when: "nothing was found" },
    { status: 1, when: "something was found" },
    { status: 2, when: "nothing was found, but something could not be scanned" },
  ],
  async run(call) {
    const ops = await import("../../ops/scan.js");
    const where = { as: targetKind(call), folder: call.folder } as const;
    const own = openStoreIfAny(call);
    const targets: string[] = [];
    for (const name of call.arguments) targets.push(await targetOf(call, name, { ...where, store: own }));
    const store = own ?? (ops.needsStore(targets, where) ? openStore(call) : undefined);
    const progress = progressOn(call, (done, of) => `${done} of ${of} packs`, 100);
    const result = ops.scanAll(store, targets, {
      ...where,
      redact: call.options.has("strict") ? "strict" : undefined,
      user: userPaths(call.terminal.env),
      input: () => call.terminal.input(),
      progress: (done, of) => progress.show(done, of),
    });
    progress.clear();
    const render = async (screen: Screen): Promise<string> => {
      const { renderScan } = await import("../../render/scan.js");
      return renderScan(result, screen);
    };
    await ignoringClosedPipe(() => print(call, result, render, { paged: true }));
    return result.exit;
  },
};

/** Returns the target that a name means: itself, or the log or pack of the session with that id. */
async function targetOf(
  call: Call,
  name: string,
  { store, ...where }: TargetOptions & { store: Store | undefined },
): Promise<string> {
  if (name === "-" || where.as !== undefined || isFileTarget(name, where)) return name;
  const found = await runNameOf(call, name, store);
  return typeof found === "string" ? found : "log" in found ? found.log : name;
}
