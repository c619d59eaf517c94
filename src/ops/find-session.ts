// Finds the session of an agent that a person typed the id of: among the packs of a store, or on this
// machine.
import { findLogs, type FoundLog, openLog, summarise } from "../intake/discover/find-logs.js";
import { sessionInPath } from "../intake/discover/session-id.js";
import type { AgentPaths } from "../intake/discover/session-locations.js";
import { packedSessions } from "../store/packed-sessions.js";
import type { Store } from "../store/store.js";
import { findSessions } from "./discover.js";

/** A session that a text can mean. */
export interface MatchedSession {
  id: string;
  /** The hash of its newest version in the store. */
  pack?: string;
  /** Its log, if that is on this machine. */
  log?: { path: string; agent: string; open: () => number };
}

/** Returns the sessions whose id is the text, or else those whose id begins with it. */
export function findSession(
  store: Store | undefined,
  where: AgentPaths,
  text: string,
  { isWhole = false }: { isWhole?: boolean } = {},
): MatchedSession[] {
  const packed = store === undefined ? [] : packedSessions(store, text);
  const named = sessionsOnDisk(where, text);
  // Most agents name a log after its session. For the others, the beginning of every log has to be read.
  const onDisk = packed.length + named.length > 0 ? named : sessionsOnDisk(where, text, { everywhere: true });
  const all = new Map<string, MatchedSession>();
  for (const session of [...packed, ...onDisk])
    all.set(keyOf(session, all), { ...all.get(session.id), ...session });
  const found = [...all.values()];
  const whole = found.filter(({ id }) => id === text);
  return whole.length > 0 || isWhole ? whole : found;
}

/** Returns a key that is shared only by a pack and the one log of its session. */
function keyOf({ id, log }: MatchedSession, all: ReadonlyMap<string, MatchedSession>): string {
  return all.get(id)?.log === undefined ? id : `${id} ${log?.path ?? ""}`;
}

/** Returns the sessions on this machine whose id, in the log or in its path, begins with the text. */
export function sessionsOnDisk(
  where: AgentPaths,
  text: string,
  { everywhere = false } = {},
): MatchedSession[] {
  const { logs } = findLogs(
    where,
    () => true,
    (path) => everywhere || path.includes(text),
  );
  return logs.flatMap((log) => {
    const id = [summarise(log).session, sessionInPath(log.path)].find((each) => each?.startsWith(text));
    return id === undefined ? [] : [{ id, log: logOf(log) }];
  });
}

function logOf({ path, agent, root }: FoundLog): NonNullable<MatchedSession["log"]> {
  return { path, agent, open: () => openLog({ root, path }) };
}

/** Returns whether the log of a session has changed since it was packed. */
export function hasGrown(store: Store, where: AgentPaths, path: string): boolean {
  const { sessions } = findSessions(store, where, { isPath: (each) => each === path });
  return sessions.some(({ found }) => found.state === "grown");
}
