// Shows long output on a terminal in a pager, as git does: the one that the user configured, or less, which
// exits by itself if everything fits.
import type { Call, Option } from "./command.js";

/** A small machine may have no less; then the text goes straight to the screen. */
const defaultPager = "if command -v less >/dev/null 2>&1; then exec less -FRX; else exec cat; fi";

export const noPagerOption: Option = { long: "no-pager", summary: "write straight to the terminal" };

/** Writes text, through a pager if it is longer than the terminal. */
export async function page(call: Call, text: string): Promise<void> {
  const { out, env } = call.terminal;
  const named = env["CTX_PAGER"] ?? env["PAGER"];
  const fits = named === undefined && text.split("\n").length <= (out.rows ?? 0);
  if (
    !out.isTerminal ||
    out.rows === undefined ||
    fits ||
    call.options.has("no-pager") ||
    named === "" ||
    named === "cat"
  )
    out.write(text);
  else {
    const { runPager } = await import("./run-pager.js");
    if (!runPager(named ?? defaultPager, text, env)) out.write(text);
  }
}
