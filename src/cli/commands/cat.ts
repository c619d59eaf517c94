import { isUtf8 } from "node:buffer";
import { CtxError } from "../../base/errors.js";
import { printableLines } from "../../base/printable.js";
import type { PrintedBlob } from "../../results/show.js";
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
    const { cat } = await import("../../ops/cat.js");
    const store = openStore(call);
    const blob = cat(store, name);
    const { out } = call.terminal;
    if (!call.json && (call.options.has("raw") || !out.isTerminal)) {
      blob.pieces((piece) => out.write(piece));
      return 0;
    }
    const { checkShowable } = await import("../../ops/show.js");
    checkShowable(store, blob.hash);
    const pieces: Buffer[] = [];
    blob.pieces((piece) => pieces.push(Buffer.from(piece)));
    const bytes = Buffer.concat(pieces);
    const { hash, size } = blob;
    const isText = isUtf8(bytes);
    if (!isText && !call.json)
      throw new CtxError("binary", `${hash} is not text, and would disturb the terminal`, {
        hint: "send it to a file or pipe, or use --raw",
      });
    const content = isText ? { text: bytes.toString("utf8") } : { base64: bytes.toString("base64") };
    await print(call, { hash, size, ...content } satisfies PrintedBlob, () => {
      const text = printableLines(bytes.toString("utf8"));
      return text.endsWith("\n") || text === "" ? text : `${text}\n`;
    });
    return 0;
  },
};
