import { resolve } from "node:path";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { bytesProgress, printArrived } from "../transfer-output.js";

export const importCommand: Command = {
  name: "import",
  summary: "import the packs of a file that `ctx export` wrote",
  details:
    "Everything is hashed and checked before any of it becomes part of the store: either all packs of the file are imported, or none.",
  arguments: [{ name: "file", summary: "the file; - for standard input", required: true, complete: "file" }],
  options: [],
  examples: [
    { run: "ctx import run.ctx", does: "import the packs of a file" },
    { run: "cat run.ctx | ctx import -", does: "the same from standard input" },
  ],
  exits: [
    { status: 0, when: "imported, or already here" },
    { status: 2, when: "the file is not a valid bundle of packs; the store is unchanged" },
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
