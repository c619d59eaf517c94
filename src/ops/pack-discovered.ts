// `ctx pack --discover`: packs the agent sessions on this machine that are not packed in their current state.
import { CtxError } from "../base/errors.js";
import { type FoundLog, openLog } from "../intake/discover/find-logs.js";
import type { Whereabouts } from "../intake/discover/session-locations.js";
import type { PackResult } from "../results/results.js";
import type { PackDiscoveredResult } from "../results/intake.js";
import { foreignRefusal, sessionRefusal } from "../store/accepted.js";
import { Group } from "../store/commit-group.js";
import type { Store } from "../store/store.js";
import { TakenLogs } from "../store/packed-logs.js";
import { type DiscoverOptions, findSessions, isWaiting, type Session } from "./discover.js";
import { packAllLater, type PackAllOptions } from "./pack-all.js";
import type { Redaction, RedactionOptions } from "../redact/settings.js";

export interface PackDiscoveredOptions extends DiscoverOptions, RedactionOptions {
  /** Called before each session, and while a large one is read. */
  progress?: (done: { sessions: number; bytes: number }, of: { sessions: number; bytes: number }) => void;
  /** Called with the packs of each session. */
  packed: (results: PackResult[], session: Session) => void;
  /** Called with the error of a session that could not be packed; the others still are. */
  failed: (error: CtxError, session: Session) => void;
  /** Called for each path that could not be read. */
  unreadable: (path: string, why: string) => void;
}

/** Codes of errors that are caused by the log, and not by the machine or the store. */
const lasting: ReadonlySet<string> = new Set([
  "unknown-format",
  "log-unreadable",
  "log-invalid",
  "not-json",
  "too-large",
]);

/** Interval at which progress is saved, in milliseconds. */
const noteEvery = 2000;

export function packDiscovered(
  store: Store,
  where: Whereabouts,
  options: PackDiscoveredOptions & {
    redaction?: Redaction | undefined;
    /** Only the sessions with these logs. */
    logs?: ReadonlySet<string>;
  },
): PackDiscoveredResult {
  const refusal =
    options.user !== undefined
      ? sessionRefusal(store, { state: options.user.state, home: where.home })
      : store.foreign
        ? foreignRefusal(store)
        : undefined;
  if (refusal !== undefined) throw refusal;
  const { sessions, unreadable } = findSessions(store, where, options);
  for (const { path, why } of unreadable) options.unreadable(path, why);
  // Oldest first, so that the last one packed is the newest.
  const waiting = sessions
    .filter(({ found, log }) => isWaiting(found) && options.logs?.has(log.path) !== false)
    .toReversed();
  const taken = TakenLogs.read(store);
  const of = { sessions: waiting.length, bytes: waiting.reduce((sum, { log }) => sum + log.size, 0) };
  const inState = (state: string): number => sessions.filter(({ found }) => found.state === state).length;
  const result = {
    packed: 0,
    packs_new: 0,
    before: inState("packed"),
    removed: inState("removed"),
    empty: inState("empty"),
    failed: 0,
    refused: inState("refused"),
  };
  const settle = (session: Session, packs: PackResult[] | CtxError): void => {
    const { path, signature } = session.log;
    if (Array.isArray(packs)) {
      taken.set(path, { signature, packs: packs.map(({ uri }) => uri.slice("ctx://".length)) });
      result.packed++;
      result.packs_new += packs
        .flatMap((pack) => [pack, ...(pack.packs ?? [])])
        .filter((pack) => pack.new).length;
      options.packed(packs, session);
    } else if (packs.code === "no-run") {
      result.empty++;
      taken.set(path, { signature, packs: [] });
    } else {
      result.failed++;
      // An error in the log itself would only occur again.
      if (lasting.has(packs.code))
        taken.set(path, { signature, packs: [], refused: { why: packs.message, by: options.version ?? "" } });
      options.failed(packs, session);
    }
  };
  const group = new Group(store);
  const pending: { session: Session; later: () => PackResult[] | CtxError }[] = [];
  let bytes = 0;
  let noted = performance.now();
  try {
    for (const [number, session] of waiting.entries()) {
      const { size, modified } = session.log;
      const told = (done: number): void => options.progress?.({ sessions: number, bytes: bytes + done }, of);
      told(0);
      const about = {
        redact: options.redact,
        user: options.user,
        ...(options.redaction === undefined ? {} : { redaction: options.redaction }),
        progress: told,
        at: modified.toISOString(),
      };
      pending.push({ session, later: packOne(store, session.log, { ...about, group }) });
      bytes += size;
      // Results are reported in groups, once they are durable.
      if (!group.isEmpty && number < waiting.length - 1) continue;
      for (const each of pending.splice(0)) settle(each.session, each.later());
      if (performance.now() - noted < noteEvery) continue;
      taken.save();
      noted = performance.now();
    }
  } finally {
    group.close();
  }
  taken.save();
  return result;
}

/**
 * Returns a function that returns the packs of a session, or the error. Even a bug in ctx that one session
 * triggers must not keep the others out.
 */
function packOne(
  store: Store,
  log: FoundLog,
  options: PackAllOptions & { group: Group; redaction?: Redaction },
): () => PackResult[] | CtxError {
  const { path } = log;
  const open = (): number => openLog(log);
  // Sidecars are off: the user did not ask for files beside those that a log names.
  const later = packAllLater(store, { file: path }, { ...options, sidecars: false, open });
  return () => {
    try {
      return later();
    } catch (error) {
      if (error instanceof CtxError) return error;
      return new CtxError("internal", `ctx has a bug: it cannot read ${path}: ${String(error)}`, {
        hint: "please report it",
        cause: error,
      });
    }
  };
}
