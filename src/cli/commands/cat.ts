import { CtxError } from "../../base/errors.js";
import { printableLines } from "../../base/printable.js";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { print } from "../print.js";

export const cat: Command = {
  name: "cat",
  summary: "write the bytes of a blob to standard output",
  details:
    "Writes the bytes unchanged to a pipe or file. On a terminal, control characters are escaped, and binary data needs --raw. For a pack it writes the canonical bytes of its manifest.",
  arguments: [
    {
      name: "blob",
      summary: "a hash, its first digits, or any name of a pack",
      required: true,
      complete: "blob",
    },
  ],
  options: [{ long: "raw", summary: "write the bytes unchanged, even to a terminal" }],
  examples: [
    { run: "ctx cat 2615ea963891", does: "read one blob" },
    { run: "ctx cat latest | sha256sum", does: "check that a pack's name is its hash" },
  ],
  exits: [
    { status: 0, when: "written" },
    { status: 2, when: "the blob does not exist, is damaged, or is binary and would go to a terminal" },
  ],
  async run(call) {
    const [name] = call.arguments as [string];
    const { cat, catPieces } = await import("../../ops/cat.js");
    const store = openStore(call);
    const { out } = call.terminal;
    if (!call.json && (call.options.has("raw") || !out.isTerminal)) {
      catPieces(store, name, (piece) => out.write(piece));
      return 0;
    }
    const blob = cat(store, name);
    if (blob.text === undefined && !call.json)
      throw new CtxError("binary", `${blob.hash} is binary, which would garble the terminal`, {
        hint: "redirect it to a file or pipe, or use --raw",
      });
    await print(call, blob, () => {
      const text = printableLines(blob.text ?? "");
      return text.endsWith("\n") || text === "" ? text : `${text}\n`;
    });
    return 0;
  },
};
