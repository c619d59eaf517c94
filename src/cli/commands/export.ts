import { resolve } from "node:path";
import { CtxError } from "../../base/errors.js";
import type { Screen } from "../../render/layout.js";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { shownPath } from "../output.js";
import { print } from "../print.js";
import type { OutputStream } from "../terminal.js";
import { checkPackSelection, parseOutgoingOptions, outgoingOptions } from "../registry-options.js";
import { bytesProgress, noticeAbsent } from "../transfer-output.js";

export const exportCommand: Command = {
  name: "export",
  summary: "write packs into one file that others can take in",
  details:
    "The file is an OCI image layout in a tar, the same bytes wherever it is made: `ctx import` takes it in, `ctx show`, `diff`, `verify` and `replay` read it as it is, and programs such as skopeo copy it to a registry. The runs of sub-agents go along. When a secret is found in what would go, nothing is written.",
  arguments: [{ name: "pack", summary: "a pack", required: false, many: true, complete: "pack" }],
  options: [
    {
      long: "output",
      short: "o",
      value: "file",
      summary: "the file; - for standard output (default: <hash>.ctx)",
      complete: "file",
    },
    ...outgoingOptions,
    { long: "force", short: "f", summary: "replace the file if there is one" },
  ],
  examples: [
    { run: "ctx export latest -o my-run.ctx", does: "the last run in a file" },
    { run: "ctx export latest --dry-run", does: "what would go" },
    { run: "ctx export --all -o all.ctx", does: "the whole store" },
    { run: "ctx export good -o - | ssh host ctx import -", does: "to another machine" },
  ],
  exits: [
    { status: 0, when: "written" },
    { status: 2, when: "a secret was found, the file exists, or a pack is missing or damaged" },
  ],
  async run(call) {
    const { terminal } = call;
    checkPackSelection(call, call.arguments.length);
    const store = openStore(call);
    const ops = await import("../../ops/export.js");
    const dryRun = call.options.has("dry-run");
    const output = call.options.get("output") ?? ops.exportName(store, call.arguments);
    if (output === "") throw new CtxError("usage", "--output needs the name of a file");
    const isStream = output === "-";
    if (isStream && terminal.out.isTerminal && !dryRun)
      throw new CtxError("binary", "a bundle is not text, and standard output is a terminal", {
        hint: "name a file with -o, or send it into a pipe",
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
