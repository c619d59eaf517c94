// `ctx pack --discover`: packs the agent sessions on this machine that are not packed in their current state.
import { CtxError } from "../base/errors.js";
import { openLog } from "../intake/discover/find-logs.js";
import type { AgentPaths } from "../intake/discover/session-locations.js";
import type { PackResult } from "../results/results.js";
import type { PackDiscoveredResult } from "../results/intake.js";
import { foreignRefusal, sessionRefusal } from "../store/accepted.js";
import type { Store } from "../store/store.js";
import { TakenLogs } from "../store/packed-logs.js";
import { type DiscoverOptions, findSessions, isWaiting, type DiscoveredSession } from "./discover.js";
import { packLogs, type PipelineInput } from "./pack.js";
import type { Redaction, RedactionOptions } from "../redact/settings.js";

export interface PackDiscoveredOptions extends DiscoverOptions, RedactionOptions {
  /** Called before each session, and while a large one is read. */
  progress?: (done: { sessions: number; bytes: number }, of: { sessions: number; bytes: number }) => void;
  /** Called with the packs of each session. */
  packed: (results: PackResult[], session: DiscoveredSession) => void;
  /** Called with the error of a session that could not be packed; the others still are. */
  failed: (error: CtxError, session: DiscoveredSession) => void;
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
  where: AgentPaths,
  options: PackDiscoveredOptions & {
    redaction?: Redaction | undefined;
    /** Only the sessions with these logs. */
    logs?: ReadonlySet<string>;
  },
): PackDiscoveredResult {
  const refusal =
    options.user !== undefined
      ? sessionRefusal(store, { state: options.user.state, home: where.home, env: where.env })
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
  const note = (session: DiscoveredSession, packs: PackResult[] | CtxError): void => {
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
  let current = { sessions: 0, bytes: 0 };
  const onProgress = (done: number): void =>
    options.progress?.({ ...current, bytes: current.bytes + done }, of);
  function* logs(): Generator<PipelineInput> {
    for (const { log } of waiting) {
      onProgress(0);
      yield { file: log.path, options: { at: log.modified.toISOString() }, open: () => openLog(log) };
      current = { sessions: current.sessions + 1, bytes: current.bytes + log.size };
    }
  }
  let noted = performance.now();
  const { redact, user, redaction } = options;
  // Sidecars are off: the user did not ask for files beside those that a log names.
  const packing = {
    redact,
    user,
    ...(redaction === undefined ? {} : { redaction }),
    sidecars: false,
    progress: onProgress,
  };
  if (waiting.length > 0)
    packLogs(store, logs(), packing, (outcome, index) => {
      const session = waiting[index] as DiscoveredSession;
      note(session, "value" in outcome ? outcome.value : failureOf(outcome.error, session));
      if (performance.now() - noted < noteEvery) return;
      taken.save();
      noted = performance.now();
    });
  taken.save();
  return result;
}

/**
 * Returns the error of a session as a CtxError. Even a bug in ctx that one session triggers must not keep the
 * others out.
 */
function failureOf(error: unknown, { log }: DiscoveredSession): CtxError {
  if (error instanceof CtxError) return error;
  return new CtxError("internal", `ctx has a bug: it cannot read ${log.path}: ${String(error)}`, {
    hint: "please report it",
    cause: error,
  });
}
