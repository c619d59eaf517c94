import { dirname, resolve } from "node:path";
import { CtxError } from "../../base/errors.js";
import { statIfKnown } from "../../base/fs/files.js";
import { lazy } from "../../base/lazy.js";
import { appendAll } from "../../base/lists.js";
import type { PackResult } from "../../results/results.js";
import type { PackAllOptions, PackManyInput } from "../../ops/pack.js";
import type { Store } from "../../store/store.js";
import type { Call, Command } from "../command.js";
import { discoverOptions } from "../discover-options.js";
import { openStore } from "../open-store.js";
import { notWithDiscover, packTheDiscovered } from "../packing-discovered.js";
import { printList } from "../print.js";
import { packLine, printPack, reportFailure } from "../print-pack.js";
import { redactionFrom, redactOption } from "../redact-option.js";
import { notice, type Progress, progressOn, shownPath, whileRead } from "../output.js";

const logSummary = "an agent's log, an execution log, the folder of a draft, or - for standard input";

export const pack: Command = {
  name: "pack",
  summary: "turn the log of a finished run into a pack",
  details:
    "Stores the contents of each log, and prints the URIs of the packs, one per line. Packing a log twice makes the same pack. Logs that agents write themselves (Claude Code, Codex, Gemini CLI, Copilot CLI, Cline, OpenHands, chat messages, OpenTelemetry spans, and more) are recognised by their content; sub-agents become packs of their own. Sealing an unchanged draft is an error. For each output of an execution log that is on disk with the recorded content, it writes a sidecar, <name>.ctx.json, that says which pack the file came from.",
  arguments: [
    {
      name: "log",
      summary: logSummary,
      required: false,
      many: true,
      complete: "log",
    },
  ],
  options: [
    {
      long: "created",
      value: "time",
      summary: "when the run took place (RFC 3339), instead of the time in the log",
      conflicts: ["watch", "discover"],
    },
    {
      long: "from",
      value: "format",
      summary: "the log's format, if ctx does not recognise it; list shows the formats",
      complete: "format",
      conflicts: ["discover"],
    },
    {
      long: "prompt",
      value: "text",
      summary: "the prompt, for logs that do not record it",
      conflicts: ["discover"],
    },
    {
      long: "tag",
      value: "name",
      summary: "tag the pack with this name; for one log only",
      conflicts: ["watch", "discover"],
    },
    {
      long: "title",
      short: "m",
      value: "text",
      summary: "set the title of the pack (default: its first prompt); for one log only",
      conflicts: ["watch", "discover"],
    },
    redactOption,
    { long: "no-sidecars", summary: "do not write sidecars", conflicts: ["discover"] },
    {
      long: "allow-empty",
      summary: "seal a draft even if it is identical to its parent",
      conflicts: ["watch", "discover"],
    },
    {
      long: "rm",
      summary: "remove the draft when its pack is on disk",
      conflicts: ["watch", "discover"],
    },
    {
      long: "watch",
      value: "folder",
      summary: "pack the logs in this folder, and those that appear there, until Ctrl-C",
      complete: "folder",
      conflictError: (other) => notWithWatch(`--${other}`),
    },
    {
      long: "discover",
      summary: "pack the new sessions that agents left on this machine",
      conflictError: (other) => notWithDiscover(`--${other}`),
      neededError: (other) => ({
        message: `--${other} is for --discover`,
        hint: "`ctx pack --discover` packs sessions that agents left on this machine",
      }),
    },
    ...discoverOptions.map((option) => ({ ...option, needs: ["discover"] })),
  ],
  examples: [
    { run: "ctx pack run.json", does: "pack one run" },
    { run: "ctx pack --discover", does: "pack the new sessions of all agents on this machine" },
    { run: "ctx pack --discover --since 7d --project .", does: "pack this week's sessions of this project" },
    { run: "ctx pack ~/.claude/projects/*/*.jsonl", does: "pack sessions of Claude Code" },
    { run: 'codex exec --json "$task" | ctx pack - --prompt "$task"', does: "pack a run when it ends" },
    { run: "ctx pack --from list", does: "list the formats that ctx reads" },
    { run: "ctx pack runs/*.json", does: "pack several logs, in order" },
    { run: "ctx pack run.json --tag baseline", does: "pack a run and tag it" },
    { run: 'ctx pack run.json -m "the run that broke the tests"', does: "pack a run and set its title" },
    { run: "my-agent --log - | ctx pack -", does: "pack the log that a program writes" },
    { run: "ctx pack run.json --redact strict", does: "also mask what may be a secret" },
    { run: "ctx pack --rm my-draft", does: "seal a draft, then remove it" },
  ],
  exits: [
    { status: 0, when: "every log is packed, or was already" },
    { status: 1, when: "a draft is identical to its parent; the other logs were packed" },
    { status: 2, when: "a log could not be packed; the others were" },
  ],
  async run(call) {
    if (call.options.get("from") === "list") return await printFormats(call);
    if (call.options.has("discover")) return await packTheDiscovered(call);
    if (call.options.has("watch")) return await watchFolder(call);
    if (call.arguments.length === 0)
      throw new CtxError("usage", `ctx pack needs <log>: ${logSummary}`, {
        hint: "`ctx pack --discover` packs the sessions that agents left on this machine; `ctx pack --help` shows more",
      });
    const names = { tag: call.options.get("tag"), title: call.options.get("title") };
    const store = openStore(call, { adding: true });
    await checkNames(store, names, call.arguments.length);
    const progress = progressOn(
      call,
      (done, of) => `${Math.floor((100 * done) / of)} % of ${Math.ceil(of / 1e6)} MB`,
      1 << 25,
    );
    const options = optionsOf(call, progress);
    return await packEach(call, store, { options, progress, names });
  },
};

/** Returns the error if an option or argument is for one log, and --watch packs many. */
function notWithWatch(what: string): string {
  return `--watch packs what appears in a folder, so it takes no ${what}`;
}

/** Seals the logs that appear in a folder, and prints each pack. */
async function watchFolder(call: Call): Promise<number> {
  if (call.arguments.length > 0) throw new CtxError("usage", notWithWatch("<log>"));
  const folder = resolve(call.folder, call.options.get("watch") ?? "");
  const store = openStore(call, { adding: true });
  const { watch } = await import("../../ops/watch.js");
  const { interruptible } = await import("../interrupt.js");
  const idle: Progress = { show: () => undefined, clear: () => undefined };
  if (call.terminal.error.isTerminal) notice(call, `watching ${shownPath(call, folder)}; Ctrl-C stops`);
  await interruptible((signal) =>
    watch(store, folder, {
      ...optionsOf(call, idle),
      signal,
      packed(results) {
        for (const result of results) printPack(call, { ...result, source: shownPath(call, result.source) });
      },
      failed: (error) => void reportFailure(call, error),
    }),
  );
  return 0;
}

interface Packing {
  options: PackAllOptions;
  progress: Progress;
  names: NewPackNames;
}

/** The names that the pack of the only log gets. */
interface NewPackNames {
  tag: string | undefined;
  title: string | undefined;
}

/** Packs all logs, and prints each result when it is durable. A bad log does not stop the others. */
async function packEach(call: Call, store: Store, { options, progress, names }: Packing): Promise<number> {
  const { packMany } = await import("../../ops/pack.js");
  const out = whileRead(call.terminal.out);
  let status = 0;
  const counts = { packed: 0, failed: 0 };
  // A person who packs several logs wants to know which pack is which; a script reads one URI per line.
  const isList = call.arguments.length > 1 && !call.json && out.isTerminal;
  const lineOf = isList ? await packLine(store, out.screen) : ({ uri }: PackResult): string => uri;
  const onError = (error: CtxError): void => {
    progress.clear();
    counts.failed++;
    status = Math.max(status, reportFailure(call, error));
  };
  const isNamed = names.tag !== undefined || names.title !== undefined;
  const named: PackResult[] = [];
  packMany(store, inputsOf(call), {
    ...options,
    onResult(results) {
      progress.clear();
      counts.packed++;
      for (const result of results) printPack(call, result, out, lineOf(result));
      if (isNamed) appendAll(named, results);
    },
    onError,
  });
  progress.clear();
  if (isList)
    notice(call, `${counts.packed} packed${counts.failed === 0 ? "" : `, ${counts.failed} failed`}`);
  if (!isNamed) return status;
  try {
    await nameIt(store, names, named);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    onError(error);
  }
  return status;
}

function* inputsOf(call: Call): Generator<PackManyInput> {
  for (const log of call.arguments) {
    const options = { remove: removal(call, log) };
    yield log === "-"
      ? { pieces: call.terminal.input(), folder: call.folder, source: "-", options }
      : { file: resolve(call.folder, log), source: log, options };
  }
}

function optionsOf(call: Call, progress: Progress): PackAllOptions {
  const options: PackAllOptions = {
    ...redactionFrom(call),
    sidecars: !call.options.has("no-sidecars"),
    allowEmpty: call.options.has("allow-empty"),
    progress(done, of) {
      if (of > large) spareMemory();
      progress.show(done, of);
    },
  };
  for (const name of ["created", "from", "prompt"] as const) {
    const value = call.options.get(name);
    if (value !== undefined) options[name] = value;
  }
  return options;
}

/** Above this many bytes, packing a log saves memory. */
const large = 1 << 26;

/** Makes the engine collect garbage before it requests more memory: the heap grows by a quarter at most. */
function spareMemory(): void {
  lazy("v8").setFlagsFromString("--heap-growing-percent=25");
}

/** Prints the formats that `--from` accepts. */
async function printFormats(call: Call): Promise<number> {
  const { listFormats } = await import("../../ops/pack.js");
  const formats = listFormats();
  await printList(call, formats, async (screen) => {
    const { renderFormats } = await import("../../render/formats.js");
    return renderFormats(formats, screen);
  });
  return 0;
}

/** Throws if the pack could not get these names; called before anything is packed. */
async function checkNames(store: Store, { tag, title }: NewPackNames, logs: number): Promise<void> {
  if (tag === undefined && title === undefined) return;
  const option = tag === undefined ? "--title" : "--tag";
  if (logs > 1) throw new CtxError("usage", `${option} is for one pack, but there are several logs`);
  const { checkTagBefore, checkTitle } = await import("../../ops/tag.js");
  if (tag !== undefined) checkTagBefore(store, tag);
  if (title !== undefined) checkTitle(title);
}

/** Names the pack. A tag that names it already is fine: packing twice is not an error. */
async function nameIt(
  store: Store,
  { tag, title }: NewPackNames,
  [result, another]: readonly PackResult[],
): Promise<void> {
  if (result === undefined) return;
  const { uri } = result;
  if (another !== undefined)
    throw new CtxError(
      "usage",
      `${tag === undefined ? "--title" : "--tag"} is for one pack, but ${result.source} contains several runs`,
      { hint: "they are packed; `ctx tag <name> <pack>` tags one of them" },
    );
  const { isTagOf, setTag, setTitle } = await import("../../ops/tag.js");
  if (tag !== undefined && !isTagOf(store, tag, uri.slice("ctx://".length)))
    setTag(store, tag, { pack: uri });
  if (title !== undefined) setTitle(store, title, { pack: uri });
}

/** Returns what --rm removes: of the user's current folder only the content, never the folder itself. */
function removal(call: Call, log: string): boolean | "content" {
  if (!call.options.has("rm")) return false;
  const path = resolve(call.folder, log);
  const isFolder = statIfKnown(path)?.isDirectory() === true;
  return (isFolder ? path : dirname(path)) === call.terminal.folder ? "content" : true;
}
