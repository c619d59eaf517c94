import { CtxError } from "../../base/errors.js";
import type { Command } from "../command.js";
import { openStore } from "../open.js";
import { notice, writeJson } from "../output.js";

export const log: Command = {
  name: "log",
  summary: "list packs, newest first",
  arguments: [],
  options: [
    { long: "max-count", short: "n", value: "number", summary: "list at most this many" },
    { long: "oneline", summary: "one line a pack" },
  ],
  examples: [
    { run: "ctx log", does: "list all packs" },
    { run: "ctx log -n 5 --oneline", does: "the newest five, one line each" },
    { run: "ctx log --json", does: "one JSON object a line, for scripts" },
  ],
  exits: [
    { status: 0, when: "listed; damaged packs are marked, and named on standard error" },
    { status: 2, when: "there is no store, or it cannot be read" },
  ],
  async run(call) {
    const limit = limitOf(call.options.get("max-count"));
    const store = openStore(call);
    const { log } = await import("../../ops/log.js");
    const result = log(store, limit === undefined ? {} : { limit });
    const { out } = call.terminal;
    if (call.json) for (const entry of result.entries) writeJson(call.terminal, entry);
    else {
      const { renderLog, renderOneline } = await import("../../render/log.js");
      out.write((call.options.has("oneline") ? renderOneline : renderLog)(result, out.screen));
    }
    for (const { hash, message } of result.damaged)
      notice(call, `the pack ${hash} cannot be read: ${message}`);
    if (result.total === 0) notice(call, "there is no pack here yet; `ctx pack <log>` adds one");
    return 0;
  },
};

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CtxError("usage", `-n needs a whole number, not "${text}"`);
}
