// Long output on a terminal goes through a pager, as git does it: what the user named, or less, which stays out of the way
// when everything fits.
import type { Call, Option } from "./command.js";

/** Less may be missing on a small machine; then the text simply goes to the screen. */
const usual = "if command -v less >/dev/null 2>&1; then exec less -FRX; else exec cat; fi";

export const noPagerOption: Option = { long: "no-pager", summary: "write straight to the terminal" };

/** Writes text that may be long. */
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
    if (!runPager(named ?? usual, text, env)) out.write(text);
  }
}
