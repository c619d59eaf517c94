import { resolve } from "node:path";
import { CtxError } from "../../base/errors.js";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { shownPath, writeJson } from "../output.js";
import type { Stream } from "../terminal.js";
import { bytesProgress, checkNamed, leavingFrom, leavingOptions, tellAbsent } from "../sharing.js";

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
    ...leavingOptions,
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
    checkNamed(call, call.arguments.length);
    const store = openStore(call);
    const ops = await import("../../ops/export.js");
    const dryRun = call.options.has("dry-run");
    const given = call.options.get("output") ?? ops.exportName(store, call.arguments);
    if (given === "") throw new CtxError("usage", "--output needs the name of a file");
    const isStream = given === "-";
    if (isStream && terminal.out.isTerminal && !dryRun)
      throw new CtxError("binary", "a bundle is not text, and standard output is a terminal", {
        hint: "name a file with -o, or send it into a pipe",
      });
    // Where standard output is the file itself, what is told goes beside it, to whoever watches.
    const told =
      isStream && !dryRun
        ? { ...terminal, out: call.json ? terminal.error : watched(terminal.error) }
        : terminal;
    const leaving = await leavingFrom(call, told.out);
    const progress = bytesProgress(call, "writing");
    const result = ops.exportPacks(store, call.arguments, {
      ...leaving,
      ...(isStream ? {} : { file: resolve(call.folder, given) }),
      force: call.options.has("force"),
      dryRun,
      write: (piece) => terminal.out.write(piece),
      progress: (done, of) => progress.show(done, of),
    });
    progress.clear();
    const shown = isStream ? result : { ...result, file: shownPath(call, result.file) };
    if (call.json) writeJson(told, shown);
    else {
      const { renderExport } = await import("../../render/share.js");
      told.out.write(renderExport(shown, told.out.screen));
    }
    await tellAbsent(call, result.absent);
    return 0;
  },
};

function watched(stream: Stream): Stream {
  return stream.isTerminal ? stream : { ...stream, write: () => undefined };
}
