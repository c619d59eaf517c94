import { resolve } from "node:path";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { bytesProgress, printArrived } from "../transfer-output.js";

export const importCommand: Command = {
  name: "import",
  summary: "import the packs of a file that `ctx export` wrote",
  details:
    "Everything is hashed and checked aside before any of it becomes part of the store: all packs of the file come in whole, or nothing does.",
  arguments: [{ name: "file", summary: "the file; - for standard input", required: true, complete: "file" }],
  options: [],
  examples: [
    { run: "ctx import run.ctx", does: "take the runs in" },
    { run: "cat run.ctx | ctx import -", does: "the same from standard input" },
  ],
  exits: [
    { status: 0, when: "taken in, or here already" },
    { status: 2, when: "it is not a sound bundle of packs; the store is as it was" },
  ],
  async run(call) {
    const store = openStore(call);
    const [file = ""] = call.arguments;
    const { importPacks } = await import("../../ops/import.js");
    const progress = bytesProgress(call, "reading");
    const result = importPacks(store, file === "-" ? file : resolve(call.folder, file), {
      name: file,
      input: () => call.terminal.input(),
      progress: (done, of) => progress.show(done, of),
    });
    progress.clear();
    await printArrived(call, result);
    return 0;
  },
};
