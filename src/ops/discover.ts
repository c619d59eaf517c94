// `ctx discover`: the agent sessions on this machine, and which of them are packed.
import { toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { nearest } from "../base/nearest.js";
import { findLogs, type FoundLog, lastTime, summarise } from "../intake/discover/find-logs.js";
import type { LogSummary } from "../intake/discover/log-summary.js";
import { sessionInPath } from "../intake/discover/session-id.js";
import { knownAgents, type AgentPaths } from "../intake/discover/session-locations.js";
import { projectFilter } from "../model/project.js";
import type { DiscoverResult, FoundSession } from "../results/intake.js";
import { titleOf } from "../model/title.js";
import { Redactor } from "../redact/redactor.js";
import { redactionOrBuiltIn, type RedactionOptions } from "../redact/settings.js";
import { compareTimes, knownTime, type Time } from "../model/times.js";
import { withCatalog } from "../store/catalog.js";
import { hasPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { TakenLogs } from "../store/packed-logs.js";
import { readTitle, titledPacks } from "../store/titles.js";
import { realPath } from "./log.js";
import { parseTimeOption } from "../model/times.js";

export { knownAgents, type AgentPaths } from "../intake/discover/session-locations.js";

export interface DiscoverOptions extends RedactionOptions {
  /** Only sessions of these agents. */
  agents?: readonly string[];
  /** Only sessions that changed since this time: a timestamp, a date, or an age such as `7d`. */
  since?: string;
  /** Only sessions of this folder or a folder below it, or of a folder with this name. */
  project?: string;
  /** Only sessions that are not packed in their current state. */
  isNew?: boolean;
  /** The version of this program. A session that another version refused is tried again. */
  version?: string;
}

/** A session and the log to pack it from. */
export interface DiscoveredSession {
  found: FoundSession;
  log: FoundLog;
}

/** Lists the sessions. Without a store, none of them counts as packed. */
export function discover(
  store: Store | undefined,
  where: AgentPaths,
  options: DiscoverOptions = {},
): DiscoverResult {
  const { sessions, folders, unreadable } = findSessions(store, where, options);
  return { sessions: sessions.map(({ found }) => found), folders, unreadable };
}

export function findSessions(
  store: Store | undefined,
  where: AgentPaths,
  options: DiscoverOptions & {
    /** Only sessions whose logs have such a path. */
    isPath?: (path: string) => boolean;
  },
): Omit<DiscoverResult, "sessions"> & { sessions: DiscoveredSession[] } {
  checkAgents(options.agents ?? []);
  const since = parseTimeOption("since", options.since);
  const isProject =
    options.project === undefined
      ? undefined
      : projectFilter(options.project, { folder: where.folder, real: realPath });
  const { logs, folders, unreadable } = findLogs(
    where,
    (agent) => options.agents === undefined || options.agents.includes(agent),
    options.isPath,
  );
  const stateOf: (...about: Parameters<ReturnType<typeof statesIn>>) => SessionState =
    store === undefined ? () => ({ state: "new", packs: [] }) : statesIn(store, options.version ?? "");
  const titleFor = titles(store, options);
  const sessions = logs.flatMap((log) => {
    const modified = knownTime(log.modified.toISOString());
    if (since !== undefined && compareTimes(modified, since) < 0) return [];
    const summary = summarise(log);
    if (isProject?.(summary.project) === false) return [];
    const { packTitle, ...state } = stateOf(log, summary, modified);
    const found: FoundSession = {
      id: summary.session ?? sessionInPath(log.path),
      title: packTitle ?? titleFor(summary),
      agent: log.agent,
      path: log.path,
      project: summary.project ?? null,
      model: summary.model ?? null,
      session: summary.session ?? null,
      modified: modified.text,
      size: log.size,
      ...state,
    };
    return options.isNew === true && !isWaiting(found) ? [] : [{ found, log }];
  });
  return { sessions: withOwnIds(sessions), folders, unreadable };
}

/** Returns a function that makes the title of a session, masked as a pack of it would be. */
function titles(store: Store | undefined, options: RedactionOptions): (summary: LogSummary) => string | null {
  let search: ReturnType<typeof redactionOrBuiltIn>["redaction"]["search"] | null = null;
  return ({ prompt }) => {
    if (prompt === undefined) return null;
    // Made when first needed: without a session, no scanner is.
    if (search === null) search = redactionOrBuiltIn(store, options).redaction.search;
    const masked = search === undefined ? prompt : new Redactor(search).text(prompt).value;
    return titleOf(masked) ?? null;
  };
}

/**
 * Uses the id in the path for logs that share a session's id: a session that was branched off may keep it.
 */
function withOwnIds(sessions: readonly DiscoveredSession[]): DiscoveredSession[] {
  const counts = new Map<string, number>();
  for (const { found } of sessions) counts.set(found.id, (counts.get(found.id) ?? 0) + 1);
  return sessions.map(({ found, log }) =>
    (counts.get(found.id) ?? 0) > 1
      ? { found: { ...found, id: sessionInPath(log.path) }, log }
      : { found, log },
  );
}

/** Returns whether a session has something to pack. */
export function isWaiting({ state }: FoundSession): boolean {
  return state === "new" || state === "grown";
}

/** How many seconds the modification time of a log may be later than its last record. */
const slack = 60;

interface SessionState extends Pick<FoundSession, "state" | "packs" | "problem"> {
  /** The title of its first pack: the user's, or one of a prompt that is not in the beginning of the log. */
  packTitle?: string;
}

/** Returns a function that compares a session with the packs of a store. */
function statesIn(
  store: Store,
  version: string,
): (log: FoundLog, summary: LogSummary, modified: Time) => SessionState {
  const taken = TakenLogs.read(store);
  const known = new Map<string, { hex: string; created: string }>();
  const titled = titledPacks(store.root);
  const ownTitles = new Map<string, string>();
  // Skip packs that came from another log: a session that was branched off may keep its session id.
  const others = taken.packs();
  withCatalog(store, (catalog) => {
    for (const { hex, content } of catalog.entries()) {
      if ("damage" in content) continue;
      const { title, session, parent, created } = content;
      if (title !== undefined) ownTitles.set(hex, title);
      if (session !== undefined && parent === undefined && !known.has(session) && !others.has(hex))
        known.set(session, { hex, created });
    }
  });
  const withPacks = (state: FoundSession["state"], packs: readonly string[]): SessionState => {
    const [first = ""] = packs;
    const title = (titled.has(first) ? readTitle(store.root, first) : undefined) ?? ownTitles.get(first);
    return { state, packs: packs.map(toReference), ...(title === undefined ? {} : { packTitle: title }) };
  };
  return (log, { session }, modified) => {
    const note = taken.get(log.path);
    if (log.size === 0) return { state: "empty", packs: [] };
    if (note?.refused !== undefined && note.signature === log.signature && note.refused.by === version)
      return { state: "refused", packs: [], problem: note.refused.why };
    if (note !== undefined && note.refused === undefined) {
      if (note.signature !== log.signature) return withPacks("grown", note.packs);
      if (note.packs.length === 0) return { state: "empty", packs: [] };
      const isThere = note.packs.every((hex) => hasPack(store.root, hex));
      return withPacks(isThere ? "packed" : "removed", note.packs);
    }
    // No note about this log: match by session id. The time of the pack is that of the session's last record.
    const pack = session === undefined ? undefined : known.get(session);
    if (pack === undefined) return { state: "new", packs: [] };
    const isOlder = (than: Time | undefined): boolean =>
      than !== undefined && knownTime(pack.created).seconds + slack < than.seconds;
    // A copy of the log has a later time than its last record.
    const isGrown = isOlder(modified) && isOlder(lastTime(log) ?? modified);
    return withPacks(isGrown ? "grown" : "packed", [pack.hex]);
  };
}

function checkAgents(agents: readonly string[]): void {
  for (const agent of agents) {
    if (knownAgents.includes(agent)) continue;
    const close = nearest(agent, knownAgents);
    throw new CtxError(
      "usage",
      `ctx does not know where "${agent}" keeps its sessions${close === undefined ? "" : ` (is it "${close}"?)`}`,
      { hint: `known agents: ${knownAgents.join(", ")}` },
    );
  }
}
