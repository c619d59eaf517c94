// `ctx grep --sessions`: searches the logs of sessions on this machine as they are, each in a temporary store.
import { tmpdir } from "node:os";
import { CtxError } from "../base/errors.js";
import type { GrepOptions } from "../ops/grep.js";
import type { SearchSummary } from "../results/search.js";
import { makeScratch, removeScratch } from "../store/scratch-store.js";
import type { Store } from "../store/store.js";
import type { Call } from "./command.js";
import { userEnvironment, userPaths } from "./environment.js";
import { openStoreIfAny } from "./open-store.js";
import { notice, shownPath } from "./output.js";

interface SessionSearch {
  pattern: string;
  packs: readonly string[];
  options: GrepOptions;
}

export async function grepSessions(
  call: Call,
  { pattern, packs, options }: SessionSearch,
  searchIn: (
    call: Call,
    store: Store,
    search: { pattern: string; options: GrepOptions; typed: string },
  ) => Promise<SearchSummary>,
): Promise<number> {
  if (packs.length > 0)
    throw new CtxError("usage", "--sessions searches sessions; it cannot be combined with packs");
  const { sessionsOnDisk } = await import("../ops/find-session.js");
  const { readLogInto } = await import("../ops/read-log.js");
  const own = openStoreIfAny(call);
  let hits = 0;
  let failed = 0;
  for (const { log } of sessionsOnDisk(userEnvironment(call), "", { everywhere: true })) {
    if (log === undefined) continue;
    const scratch = makeScratch(tmpdir(), { folder: own?.folder ?? call.folder, settings: own });
    try {
      const { path, open } = log;
      readLogInto(scratch, { log: path, open }, { settings: own, user: userPaths(call.terminal.env) });
      const summary = await searchIn(call, scratch, { pattern, options, typed: shownPath(call, path) });
      hits += summary.hits;
      failed += summary.incomplete.length;
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      failed++;
      notice(call, `${shownPath(call, log.path)} was not searched: ${error.message}`);
    } finally {
      removeScratch(scratch);
    }
  }
  if (failed > 0) return 2;
  return hits > 0 ? 0 : 1;
}
