import { resolve } from "node:path";
import { CtxError } from "../../base/errors.js";
import type { Screen } from "../../render/layout.js";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { shownPath } from "../output.js";
import { print } from "../print.js";
import type { OutputStream } from "../terminal.js";
import { exportFormats, exportOneLog } from "../export-as.js";
import { checkPackSelection, parseOutgoingOptions, outgoingOptions } from "../registry-options.js";
import { bytesProgress, noticeAbsent } from "../transfer-output.js";

export const exportCommand: Command = {
  name: "export",
  summary: "write packs into a file, or a run as a log for other tools",
  details:
    "Without --as it writes a bundle: one file with all the packs and the runs of their sub-agents, as an OCI image layout in a tar. `ctx import` imports it; `ctx show`, `diff`, `verify` and `replay` read it directly; tools such as skopeo copy it to a registry. With --as it writes one run as a log: a trajectory in ATIF, with its sub-agents; OpenTelemetry GenAI spans in OTLP/JSON; or OpenAI chat messages. Standard error lists what the format cannot express. If ctx finds a secret in the packs, it writes nothing.",
  arguments: [{ name: "pack", summary: "a pack", required: false, many: true, complete: "pack" }],
  options: [
    {
      long: "as",
      value: "format",
      summary: `write one run as a log: ${exportFormats.join(", ")}`,
      complete: exportFormats,
      conflicts: ["with-parents", "all", "dry-run"],
    },
    {
      long: "output",
      short: "o",
      value: "file",
      summary: "the file; - for standard output (default: <hash>.ctx, and with --as standard output)",
      complete: "file",
    },
    ...outgoingOptions,
    { long: "force", short: "f", summary: "replace the file if it exists" },
  ],
  examples: [
    { run: "ctx export latest -o my-run.ctx", does: "write the latest pack into a file" },
    { run: "ctx export latest --dry-run", does: "show what would be written" },
    { run: "ctx export --all -o all.ctx", does: "write the whole store" },
    { run: "ctx export good -o - | ssh host ctx import -", does: "copy a pack to another machine" },
    { run: "ctx export latest --as openai", does: "print the run as chat messages" },
    { run: "ctx export latest --as atif -o trajectory.json", does: "write it as a trajectory" },
  ],
  exits: [
    { status: 0, when: "written" },
    { status: 2, when: "a secret was found, the file exists, or a pack is missing or damaged" },
  ],
  async run(call) {
    const { terminal } = call;
    if (call.options.has("as")) return await exportOneLog(call);
    checkPackSelection(call, call.arguments.length);
    const store = openStore(call);
    const ops = await import("../../ops/export.js");
    const dryRun = call.options.has("dry-run");
    const output = call.options.get("output") ?? ops.exportName(store, call.arguments);
    if (output === "") throw new CtxError("usage", "--output needs a file name");
    const isStream = output === "-";
    if (isStream && terminal.out.isTerminal && !dryRun)
      throw new CtxError("binary", "a bundle is binary, and standard output is a terminal", {
        hint: "name a file with -o, or pipe it to a program",
      });
    // If standard output is the file itself, the result goes to standard error; as text only to a terminal.
    const asText = call.json ? terminal.error : onlyTerminal(terminal.error);
    const out = isStream && !dryRun ? asText : terminal.out;
    const leaving = await parseOutgoingOptions(call, out);
    const progress = bytesProgress(call, "writing");
    const result = ops.exportPacks(store, call.arguments, {
      ...leaving,
      ...(isStream ? {} : { file: resolve(call.folder, output) }),
      force: call.options.has("force"),
      dryRun,
      write: (piece) => terminal.out.write(piece),
      progress: (done, of) => progress.show(done, of),
    });
    progress.clear();
    const shown = isStream ? result : { ...result, file: shownPath(call, result.file) };
    const render = async (screen: Screen): Promise<string> => {
      const { renderExport } = await import("../../render/share.js");
      return renderExport(shown, screen);
    };
    await print(call, shown, render, { out });
    await noticeAbsent(call, result.absent);
    return 0;
  },
};

/** Returns the stream, or one that drops everything if it is not a terminal. */
function onlyTerminal(stream: OutputStream): OutputStream {
  return stream.isTerminal ? stream : { ...stream, write: () => undefined };
}
