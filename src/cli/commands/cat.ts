import { CtxError } from "../../base/errors.js";
import { printableLines } from "../../base/printable.js";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { print } from "../print.js";

export const cat: Command = {
  name: "cat",
  summary: "write the bytes of a blob to standard output",
  details:
    "Into a pipe or file the bytes go as they are. On a terminal text is shown with control characters escaped, and other bytes are refused without --raw. For a pack it gives the canonical bytes of its manifest.",
  arguments: [
    {
      name: "blob",
      summary: "a hash or its first digits, or any name of a pack",
      required: true,
      complete: "blob",
    },
  ],
  options: [{ long: "raw", summary: "write the bytes as they are, on a terminal too" }],
  examples: [
    { run: "ctx cat 2615ea963891", does: "read one blob" },
    { run: "ctx cat latest | sha256sum", does: "check that a pack's name is its hash" },
  ],
  exits: [
    { status: 0, when: "written" },
    { status: 2, when: "there is no such blob, it is damaged, or it is binary and would reach a terminal" },
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
      throw new CtxError("binary", `${blob.hash} is not text, and would disturb the terminal`, {
        hint: "send it to a file or pipe, or use --raw",
      });
    await print(call, blob, () => {
      const text = printableLines(blob.text ?? "");
      return text.endsWith("\n") || text === "" ? text : `${text}\n`;
    });
    return 0;
  },
};
