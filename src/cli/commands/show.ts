import { CtxError } from "../../base/errors.js";
import type { RunPart } from "../../ops/show.js";
import type { Screen } from "../../render/layout.js";
import type { Store } from "../../store/store.js";
import { type Call, type Command, oneOf } from "../command.js";
import { lostTagNotice, noticeEach, writeJson } from "../output.js";
import { bundleName, packNames, withPacks } from "../pack-arguments.js";
import { noPagerOption, page } from "../pager.js";
import { print } from "../print.js";

export const show: Command = {
  name: "show",
  summary: "show a run: at a glance, or one part of it in full",
  arguments: [{ name: "pack", summary: packNames, required: true, complete: "pack" }],
  options: [
    ...oneOf([
      { long: "step", value: "N", summary: "one step: its parameters and output" },
      { long: "prompt", value: "N", summary: "one prompt" },
      { long: "system", summary: "the system prompt" },
      { long: "input", value: "name", summary: "one input" },
      { long: "output", value: "name", summary: "one output" },
    ]),
    noPagerOption,
  ],
  examples: [
    { run: "ctx show latest", does: "the run last added" },
    { run: "ctx show latest --step 3", does: "one step in full" },
    { run: "ctx show latest --json", does: "its sealed manifest" },
    { run: "ctx show run.ctx", does: "a run in a file, without taking it in" },
  ],
  exits: [
    { status: 0, when: "shown" },
    { status: 2, when: "there is no such pack or part, or a part of it is missing or damaged" },
  ],
  async run(call) {
    const part = parsePart(call);
    return await withPacks(call, call.arguments, async (store, [name = ""]) => {
      return part === undefined ? await showPack(call, store, name) : await showPart(call, store, name, part);
    });
  },
};

async function showPart(call: Call, store: Store, name: string, part: RunPart): Promise<number> {
  const ops = await import("../../ops/show.js");
  const result = ops.showPart(store, name, part);
  const render = async (screen: Screen): Promise<string> => {
    const { renderShowPart } = await import("../../render/show-part.js");
    return renderShowPart(result, screen);
  };
  await print(call, result, render, { paged: true });
  return 0;
}

/** Prints a whole run. A screen shows more than the manifest, which is read only for a screen. */
async function showPack(call: Call, store: Store, name: string): Promise<number> {
  const ops = await import("../../ops/show.js");
  if (call.json) {
    writeJson(call.terminal, ops.show(store, name));
    return 0;
  }
  const result = ops.showOverview(store, name);
  const { renderShow } = await import("../../render/show.js");
  const [typed = ""] = call.arguments;
  const file = bundleName(call, typed) === undefined ? undefined : typed;
  await page(call, renderShow(result, call.terminal.out.screen, file));
  noticeEach(call, result.lost_tags.map(lostTagNotice), "tags that lead nowhere");
  noticeEach(
    call,
    result.unread.map((hash) => `the pack ${hash} cannot be read, and may have been made from this one`),
    "packs that cannot be read",
  );
  const damage = Object.values(result.previews).flatMap((preview) => preview.damage ?? []);
  if (damage.length === 0) return 0;
  throw new CtxError("damaged", `${name} cannot be shown whole`, {
    problems: damage.map((message) => ({ path: "", message })),
    hint: "packing the run's log again repairs it; so does a good copy of the store",
  });
}

/** Returns the part that an option names, or undefined for the whole run. */
function parsePart(call: Call): RunPart | undefined {
  const kinds = ["step", "prompt", "system", "input", "output"] as const;
  const kind = kinds.find((name) => call.options.has(name));
  if (kind === undefined) return undefined;
  const value = call.options.get(kind) as string;
  if (kind === "system") return { kind };
  if (kind === "input" || kind === "output") return { kind, name: value };
  if (!/^\d{1,9}$/.test(value)) throw new CtxError("usage", `--${kind} needs a whole number, not "${value}"`);
  return { kind, index: Number(value) };
}
