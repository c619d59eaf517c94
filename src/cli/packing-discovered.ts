// `ctx pack --discover`: what it prints while sessions are packed, and at the end.
import { CtxError } from "../base/errors.js";
import type { PackDiscoveredResult } from "../results/intake.js";
import { countText, numberText, sizeText } from "../render/layout.js";
import type { Call } from "./command.js";
import { parseDiscoverOptions } from "./discover-options.js";
import { openStore } from "./open-store.js";
import { notice, progressOn, shownPath, whileRead, writeError } from "./output.js";
import { printPack } from "./print-pack.js";
import { redactionFrom } from "./redact-option.js";
import { userEnvironment } from "./environment.js";
import { version } from "./version.js";

/** Returns the error if an option or argument is for one log, and --discover packs many. */
export function notWithDiscover(what: string): string {
  return `--discover packs the sessions that it finds, so it takes no ${what}`;
}

export async function packTheDiscovered(call: Call): Promise<number> {
  if (call.arguments.length > 0) throw new CtxError("usage", notWithDiscover("<log>"));
  const { packDiscovered } = await import("../ops/pack-discovered.js");
  const store = openStore(call);
  const out = whileRead(call.terminal.out);
  const sizes = { done: 0, of: 0, mega: "" };
  const progress = progressOn(call, () => `${sizes.done} of ${sizes.of} sessions, ${sizes.mega}`, 1);
  const result = packDiscovered(store, userEnvironment(call), {
    ...parseDiscoverOptions(call),
    ...redactionFrom(call),
    version,
    progress(done, total) {
      sizes.done = done.sessions;
      sizes.of = total.sessions;
      sizes.mega = `${sizeText(done.bytes)} of ${sizeText(total.bytes)}`;
      progress.show(done.sessions, total.sessions);
    },
    packed(results) {
      progress.clear();
      for (const each of results) printPack(call, { ...each, source: shownPath(call, each.source) }, out);
    },
    failed(error) {
      progress.clear();
      writeError(call.terminal, call.json, error);
    },
    unreadable: (path, why) => notice(call, `cannot read ${path}: ${why}`),
  });
  progress.clear();
  // A program that reads the pipe has the packs already, and needs a summary only if some are missing.
  if (call.terminal.error.isTerminal || result.failed > 0) notice(call, summary(result));
  if (call.terminal.error.isTerminal && result.packed > 0) notice(call, "`ctx log` lists them");
  if (call.options.has("redact") && result.before > 0)
    notice(call, "--redact applies only to sessions packed now; earlier packs stay as they are");
  return result.failed > 0 ? 2 : 0;
}

function summary(result: PackDiscoveredResult): string {
  const { packed, packs_new, before, removed, empty, failed, refused } = result;
  if (packed + before + removed + empty + failed + refused === 0)
    return "no sessions found; `ctx discover` lists where ctx looks";
  const parts = [countText(packed, "session") + " packed"];
  if (packed > 0) parts[0] += ` (${countText(packs_new, "new pack")})`;
  if (before > 0) parts.push(`${numberText(before)} already packed`);
  if (removed > 0) parts.push(`${numberText(removed)} packed earlier and since removed`);
  if (empty > 0) parts.push(`${numberText(empty)} empty`);
  if (failed > 0) parts.push(`${numberText(failed)} failed, for the reasons above`);
  if (refused > 0) parts.push(`${numberText(refused)} failed earlier (\`ctx discover\` says why)`);
  return parts.join(", ");
}
