import { CtxError } from "../../base/errors.js";
import type { Screen } from "../../render/layout.js";
import type { Call, Command } from "../command.js";
import { openStore } from "../open-store.js";
import { noPagerOption } from "../pager.js";
import { print } from "../print.js";

export const gc: Command = {
  name: "gc",
  summary: "remove what no pack, tag or draft needs",
  details:
    "Waits until no other command adds packs, and locks the store while it works. Keeps everything younger than two weeks.",
  arguments: [],
  options: [
    {
      long: "grace",
      value: "age",
      summary: "remove only what is older than this, such as 14d, 12h or 0d (default: 14d)",
    },
    { long: "dry-run", short: "n", summary: "list what would be removed, with sizes, and change nothing" },
    noPagerOption,
  ],
  examples: [
    { run: "ctx gc --dry-run", does: "list what would be removed" },
    { run: "ctx gc --grace 1d", does: "remove what is older than a day" },
  ],
  exits: [
    { status: 0, when: "done" },
    { status: 2, when: "a damaged pack hides what it refers to, or the store is busy" },
  ],
  async run(call) {
    const grace = graceOf(call);
    const ops = await import("../../ops/gc.js");
    const dryRun = call.options.has("dry-run");
    const result = ops.gc(openStore(call), { ...(grace === undefined ? {} : { grace }), dryRun });
    const render = async (screen: Screen): Promise<string> => {
      const { renderGc } = await import("../../render/gc.js");
      return renderGc(result, screen);
    };
    await print(call, result, render, { paged: true });
    return 0;
  },
};

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function graceOf(call: Call): number | undefined {
  const text = call.options.get("grace");
  if (text === undefined) return undefined;
  const match = /^(\d{1,6})([mhdw])$/.exec(text);
  if (match === null)
    throw new CtxError("usage", `--grace needs an age such as 14d, 12h or 0d, not "${text}"`);
  return Number(match[1]) * (units[match[2] as string] as number);
}
