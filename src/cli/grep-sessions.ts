// `ctx grep --sessions`: searches the store, and then the logs of sessions on this machine that it does not have in their
// current state, each in a temporary store.
import { tmpdir } from "node:os";
import { CtxError } from "../base/errors.js";
import { appendAll } from "../base/lists.js";
import type { GrepOptions } from "../ops/grep.js";
import type { SearchSummary } from "../results/search.js";
import { makeScratch, removeScratch } from "../store/scratch-store.js";
import type { Call } from "./command.js";
import { userEnvironment, userPaths } from "./environment.js";
import { openStoreIfAny } from "./open-store.js";
import { notice, progressOn, shownPath } from "./output.js";
import { SearchOutput } from "./search-output.js";
import { version } from "./version.js";

/** As many characters of a session's id as `ctx discover` shows. */
const shownId = 8;

export async function grepSessions(call: Call, pattern: string, options: GrepOptions): Promise<number> {
  const { sessionsOnDisk } = await import("../ops/find-session.js");
  const { readLogInto } = await import("../ops/read-log.js");
  const { grep } = await import("../ops/grep.js");
  const { discover } = await import("../ops/discover.js");
  const settings = openStoreIfAny(call);
  const output = new SearchOutput(call);
  const progress = progressOn(call, (done, total) => `reading ${done} of ${total} sessions`, 2);
  const sum = emptySummary();
  let unread = 0;
  const where = userEnvironment(call);
  const waiting = new Set(
    discover(settings, where, { isNew: true, version }).sessions.map(({ path }) => path),
  );
  const sessions = sessionsOnDisk(where, "", { everywhere: true }).filter(
    ({ log }) => log !== undefined && waiting.has(log.path),
  );
  if (settings !== undefined)
    add(sum, grep(settings, pattern, { ...options, onRun: (run) => output.run(run) }));
  for (const [at, { id, log }] of sessions.entries()) {
    if (log === undefined) continue;
    progress.show(at, sessions.length);
    const scratch = makeScratch(tmpdir(), { folder: settings?.folder ?? call.folder, settings });
    try {
      readLogInto(
        scratch,
        { log: log.path, open: log.open },
        { settings, user: userPaths(call.terminal.env) },
      );
      const typed = id === "" ? shownPath(call, log.path) : id.slice(0, shownId);
      add(
        sum,
        grep(scratch, pattern, { ...options, onRun: (run) => (progress.clear(), output.run(run, typed)) }),
      );
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      unread++;
      progress.clear();
      notice(call, `${shownPath(call, log.path)} was not searched: ${error.message}`);
    } finally {
      removeScratch(scratch);
    }
  }
  progress.clear();
  const exit = await output.end(sum);
  return unread > 0 ? 2 : exit;
}

function emptySummary(): SearchSummary {
  const searched = { packs: 0, objects: 0, read: 0, bytes: 0 };
  return { searched, hits: 0, runs: 0, total: 0, echoes: 0, incomplete: [] };
}

function add(sum: SearchSummary, { searched, hits, runs, total, echoes, incomplete }: SearchSummary): void {
  for (const key of ["packs", "objects", "read", "bytes"] as const) sum.searched[key] += searched[key];
  sum.hits += hits;
  sum.runs += runs;
  sum.total += total;
  sum.echoes += echoes;
  appendAll(sum.incomplete, incomplete);
}
