// Shows long output on a terminal in a pager, as git does: the one that the user configured, or less, which
// exits by itself if everything fits.
import type { Call, Option } from "./command.js";

/** A small machine may have no less; then the text goes straight to the screen. */
const defaultPager = "if command -v less >/dev/null 2>&1; then exec less -FRX; else exec cat; fi";

export const noPagerOption: Option = { long: "no-pager", summary: "do not use a pager" };

/** Writes text, through a pager if it is longer than the terminal. */
export async function page(call: Call, text: string): Promise<void> {
  await pagePieces(call, [text]);
}

/** Writes a text that is made piece by piece; without a pager, each piece as soon as it is made. */
export async function pagePieces(call: Call, pieces: Iterable<string>): Promise<void> {
  const { out, env } = call.terminal;
  const named = env["CTX_PAGER"] ?? env["PAGER"];
  const isPaged =
    out.isTerminal &&
    out.rows !== undefined &&
    !call.options.has("no-pager") &&
    named !== "" &&
    named !== "cat";
  if (!isPaged) {
    for (const piece of pieces) out.write(piece);
    return;
  }
  const all = [...pieces];
  const lines = all.reduce((sum, piece) => sum + piece.split("\n").length - 1, 1);
  if (named !== undefined || lines > (out.rows ?? 0)) {
    const { runPager } = await import("./run-pager.js");
    // Bytes, because one string cannot hold half a gigabyte.
    const bytes = Buffer.concat(all.map((piece) => Buffer.from(piece)));
    if (runPager(named ?? defaultPager, bytes, env)) return;
  }
  for (const piece of all) out.write(piece);
}
