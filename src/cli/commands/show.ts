import { CtxError } from "../../base/errors.js";
import type { Part } from "../../ops/show.js";
import type { Store } from "../../store/store.js";
import type { Call, Command } from "../command.js";
import { lostTagNotice, noticeEach, writeJson } from "../output.js";
import { bundleName, withPacks } from "../pack-arguments.js";
import { noPagerOption, page } from "../pager.js";

export const show: Command = {
  name: "show",
  summary: "show a run: at a glance, or one part of it in full",
  arguments: [
    {
      name: "pack",
      summary:
        "a hash or its first digits, ctx://<hash>, latest, a tag, or a file (run.ctx, run.ctx#<hash>); ~N for its Nth parent",
      required: true,
      complete: "pack",
    },
  ],
  options: [
    { long: "step", value: "N", summary: "one step: its parameters and output" },
    { long: "prompt", value: "N", summary: "one prompt" },
    { long: "system", summary: "the system prompt" },
    { long: "input", value: "name", summary: "one input" },
    { long: "output", value: "name", summary: "one output" },
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
    const part = partOf(call);
    return await withPacks(call, call.arguments, async (store, [name = ""]) => {
      return await print(call, store, { name, part });
    });
  },
};

async function print(
  call: Call,
  store: Store,
  { name, part }: { name: string; part: Part | undefined },
): Promise<number> {
  const ops = await import("../../ops/show.js");
  const { out } = call.terminal;
  if (part !== undefined) {
    const result = ops.showPart(store, name, part);
    if (call.json) {
      const { printedPart } = await import("../../results/show.js");
      writeJson(call.terminal, printedPart(result));
    } else {
      const { renderShowPart } = await import("../../render/show-part.js");
      await page(call, renderShowPart(result, out.screen));
    }
    return 0;
  }
  if (call.json) {
    writeJson(call.terminal, ops.showManifest(store, name));
    return 0;
  }
  const result = ops.show(store, name);
  const { renderShow } = await import("../../render/show.js");
  const [typed = ""] = call.arguments;
  const file = bundleName(call, typed) === undefined ? undefined : typed;
  await page(call, renderShow(result, out.screen, file));
  noticeEach(call, result.lost_tags.map(lostTagNotice), "tags that lead nowhere");
  noticeEach(
    call,
    result.unread.map((hash) => `the pack ${hash} cannot be read, and may have been made from this one`),
    "packs that cannot be read",
  );
  const damage = [...result.previews.values()].flatMap((preview) => preview.damage ?? []);
  if (damage.length === 0) return 0;
  throw new CtxError("damaged", `${name} cannot be shown whole`, {
    problems: damage.map((message) => ({ path: "", message })),
    hint: "packing the run's log again repairs it; so does a good copy of the store",
  });
}

/** The one part that was asked for. */
function partOf(call: Call): Part | undefined {
  const asked = ["step", "prompt", "system", "input", "output"].filter((name) => call.options.has(name));
  const [kind, second] = asked;
  if (kind === undefined) return undefined;
  if (second !== undefined) throw new CtxError("usage", `--${kind} and --${second} cannot be given together`);
  const value = call.options.get(kind) as string;
  if (kind === "system") return { kind };
  if (kind === "input" || kind === "output") return { kind, name: value };
  if (!/^\d{1,9}$/.test(value)) throw new CtxError("usage", `--${kind} needs a whole number, not "${value}"`);
  return { kind: kind as "step" | "prompt", index: Number(value) };
}
