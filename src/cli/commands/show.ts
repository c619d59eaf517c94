import { hexOf } from "../../base/digest.js";
import { CtxError } from "../../base/errors.js";
import { parseRanges } from "../../base/ranges.js";
import type { RunPart, StepSelection } from "../../ops/show.js";
import type { Screen } from "../../render/layout.js";
import type { Store } from "../../store/store.js";
import { type Call, type Command, oneOf } from "../command.js";
import { lostTagNotice, notice, noticeEach, writeJson } from "../output.js";
import { packNames, withPacks } from "../pack-arguments.js";
import { noPagerOption, page, pagePieces } from "../pager.js";
import { print } from "../print.js";

/** Options that show one part of a run in full. */
const parts = ["step", "prompt", "system", "input", "output"] as const;

export const show: Command = {
  name: "show",
  summary: "show a run: an overview, everything, or a part of it",
  arguments: [{ name: "pack", summary: packNames, required: true, complete: "pack" }],
  options: [
    ...oneOf([
      { long: "step", value: "N", summary: "show one step: its parameters and output" },
      { long: "prompt", value: "N", summary: "show one prompt" },
      { long: "system", summary: "show the system prompt" },
      { long: "input", value: "name", summary: "show one input" },
      { long: "output", value: "name", summary: "show one output" },
      { long: "full", summary: "show everything in full: prompts, messages, calls and their outputs" },
      {
        long: "files",
        summary: "list the files that were read, written and deleted, with the steps that did so",
      },
    ]),
    {
      long: "steps",
      value: "ranges",
      summary: "show only these steps, such as 3-9,14 or 20-",
      conflicts: parts,
    },
    { long: "errors", summary: "show only calls that failed, according to the log", conflicts: parts },
    {
      long: "follow",
      short: "f",
      summary: "print the steps of a session as its agent adds them, until Ctrl-C",
      conflicts: [...parts, "files", "steps"],
    },
    noPagerOption,
  ],
  examples: [
    { run: "ctx show latest", does: "show the pack added last" },
    { run: "ctx show latest --step 3", does: "show one step in full" },
    { run: "ctx show latest --errors", does: "show only the calls that failed" },
    { run: "ctx show latest --steps 1,3-5 --full", does: "show several steps in full" },
    { run: "ctx show latest --files", does: "list the files that the run read and wrote" },
    { run: "ctx show latest --full", does: "show the whole run, to search in the pager" },
    { run: "ctx show latest --json", does: "print its sealed manifest" },
    { run: "ctx show 198393f2", does: "show a session that `ctx discover` lists, packed or not" },
    { run: "ctx show --follow 198393f2", does: "print its steps while its agent is at work" },
    { run: "ctx show run.ctx", does: "show a run in a bundle or a log, without adding it to the store" },
  ],
  exits: [
    { status: 0, when: "shown; with --follow, ended by Ctrl-C" },
    { status: 2, when: "there is no such pack or part, or its content is missing or damaged" },
  ],
  async run(call) {
    const part = parsePart(call);
    const selection = parseSelection(call);
    if (call.options.has("follow")) {
      const { followLog } = await import("../follow.js");
      return await followLog(call);
    }
    return await withPacks(call, call.arguments, async (store, [name = ""], [outside]) => {
      if (part !== undefined)
        return await showPart(call, store, { name, isStored: outside === undefined }, part);
      if (call.options.has("files")) return await showFiles(call, store, name, selection);
      if (call.options.has("full")) return await showTranscript(call, store, name, selection);
      if (selection !== undefined)
        return await showSteps(call, store, { name, file: outside?.typed }, selection);
      return await showPack(call, store, { name, file: outside?.typed });
    });
  },
};

async function showFiles(
  call: Call,
  store: Store,
  name: string,
  selection: StepSelection | undefined,
): Promise<number> {
  const ops = await import("../../ops/show.js");
  const result = ops.showFiles(store, name, selection);
  const render = async (screen: Screen): Promise<string> => {
    const { renderFiles } = await import("../../render/show-selection.js");
    return renderFiles(result, screen);
  };
  await print(call, result, render, { paged: true });
  return 0;
}

/** Prints the rows of the selected steps; under --json each step in full. */
async function showSteps(
  call: Call,
  store: Store,
  { name, file }: { name: string; file: string | undefined },
  selection: StepSelection,
): Promise<number> {
  if (call.json) return await showTranscript(call, store, name, selection);
  const ops = await import("../../ops/show.js");
  const result = ops.showSteps(store, name, selection);
  const { renderSteps } = await import("../../render/show-selection.js");
  const shown = file ?? result.manifest.hash.slice("sha256:".length, 19);
  await page(call, renderSteps(result, call.terminal.out.screen, shown));
  throwDamage(
    name,
    Object.values(result.previews).flatMap((preview) => preview.damage ?? []),
  );
  return 0;
}

/** Prints a run, or its selected steps, in full: under --json one line for each part. */
async function showTranscript(
  call: Call,
  store: Store,
  name: string,
  selection: StepSelection = {},
): Promise<number> {
  const ops = await import("../../ops/show.js");
  if (call.json) {
    for (const part of ops.transcript(store, name, selection)) writeJson(call.terminal, part);
    return 0;
  }
  const problems = new Map<string, CtxError>();
  const read: typeof ops.readContent = (from, ref) => {
    try {
      return ops.readContent(from, ref);
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      problems.set(ref, error);
      return { ref, size: 0, text: "" };
    }
  };
  const { renderTranscript } = await import("../../render/show-transcript.js");
  const shown = ops.transcript(store, name, selection, read);
  await pagePieces(
    call,
    renderTranscript(shown, ({ ref }) => problems.get(ref)?.message),
  );
  const damage = [...problems.values()].filter(({ code }) => code !== "too-large");
  throwDamage(
    name,
    damage.map(({ message }) => message),
  );
  return 0;
}

async function showPart(
  call: Call,
  store: Store,
  { name, isStored }: { name: string; isStored: boolean },
  part: RunPart,
): Promise<number> {
  const ops = await import("../../ops/show.js");
  const result = ops.showPart(store, name, part);
  const render = async (screen: Screen): Promise<string> => {
    const { renderShowPart } = await import("../../render/show-part.js");
    return renderShowPart(result, screen);
  };
  await print(call, result, render, { paged: true });
  // The printed lines begin with a heading, so a file of them is not the content. `ctx cat` reads only the
  // store.
  if (result.part !== "step" && isStored && !call.json && !call.terminal.out.isTerminal)
    notice(call, `for the bytes alone: ctx cat ${hexOf(result.content.ref).slice(0, 12)}`);
  return 0;
}

/**
 * Prints a whole run. A screen shows more than the manifest, which is read only for a screen. `file`: the
 * name that was typed, if the run is not in the store.
 */
async function showPack(
  call: Call,
  store: Store,
  { name, file }: { name: string; file: string | undefined },
): Promise<number> {
  const ops = await import("../../ops/show.js");
  if (call.json) {
    writeJson(call.terminal, ops.show(store, name));
    return 0;
  }
  const result = ops.showOverview(store, name);
  const { renderShow } = await import("../../render/show.js");
  await page(call, renderShow(result, call.terminal.out.screen, file));
  noticeEach(call, result.lost_tags.map(lostTagNotice), "tags that cannot be followed");
  noticeEach(
    call,
    result.unread.map((hash) => `the pack ${hash} cannot be read; it may have been made from this one`),
    "packs that cannot be read",
  );
  throwDamage(
    name,
    Object.values(result.previews).flatMap((preview) => preview.damage ?? []),
  );
  return 0;
}

function throwDamage(name: string, damage: readonly string[]): void {
  if (damage.length === 0) return;
  throw new CtxError("damaged", `${name} cannot be shown completely`, {
    problems: damage.map((message) => ({ path: "", message })),
    hint: "pack the run's log again to repair it, or restore it from a copy of the store",
  });
}

/** Returns the part that an option names, or undefined for the whole run. */
function parsePart(call: Call): RunPart | undefined {
  const kind = parts.find((name) => call.options.has(name));
  if (kind === undefined) return undefined;
  const value = call.options.get(kind) as string;
  if (kind === "system") return { kind };
  if (kind === "input" || kind === "output") return { kind, name: value };
  if (!/^\d{1,9}$/.test(value)) throw new CtxError("usage", `--${kind} needs a whole number, not "${value}"`);
  return { kind, index: Number(value) };
}

/** Returns the steps that the options select, or undefined for all. */
function parseSelection(call: Call): StepSelection | undefined {
  const text = call.options.get("steps");
  const failed = call.options.has("errors");
  if (text === undefined) return failed ? { failed } : undefined;
  const ranges = parseRanges(text);
  if (typeof ranges === "string")
    throw new CtxError("usage", `--steps: ${ranges}`, {
      hint: "write numbers and ranges separated by commas, such as 3-9,14 or 20-",
    });
  return { ranges, failed };
}
