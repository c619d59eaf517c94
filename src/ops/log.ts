// `ctx log`: lists the packs of a store, newest first, all or those that fit.
import * as fs from "node:fs";
import { hexOf, isReference, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { projectFilter } from "../model/project.js";
import type { LogEntry, LogResult } from "../results/results.js";
import { compareTimes, knownTime } from "../model/times.js";
import { withCatalog } from "../store/catalog.js";
import { type HistoryEntry, readEntry } from "../store/history.js";
import { signatureOf } from "../store/objects.js";
import { knownOrigin } from "../verify/origin.js";
import { hasPack, readPack } from "../store/packs.js";
import { readTag, readTags } from "../store/refs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { momentOption } from "../model/time-option.js";

export interface LogOptions {
  /** How many entries at the most. */
  limit?: number;
  /** Only runs of a model whose name holds this text, in either case. */
  model?: string;
  /** Only runs that used this tool. */
  tool?: string;
  /** Only runs of this agent. */
  agent?: string;
  /** Only runs from this moment on: a time, a date, or an age such as `7d`. */
  since?: string;
  /** Only runs up to this moment. */
  until?: string;
  /** Only the pack with this tag. */
  tag?: string;
  /** Only runs that were derived from this pack. */
  parent?: string;
  /** Only runs of the session with this id, or with an id that begins so, and of its sub-agents. */
  session?: string;
  /** Only runs that worked in this folder or below it, or in one of this name. */
  project?: string;
  /** Where a relative `project` starts from. */
  folder?: string;
  /** Children before their parents, each line of descent in one piece, as a drawing of the lineage wants them. */
  byLineage?: boolean;
}

export function log(store: Store, options: LogOptions = {}): LogResult {
  const fits = filterOf(store, options);
  const most = options.limit ?? Number.POSITIVE_INFINITY;
  // Lineage is known only when all packs are.
  const limit = options.byLineage === true ? Number.POSITIVE_INFINITY : most;
  const { byPack: tags, lost } = readTags(store.root);
  return withCatalog(store, (catalog) => {
    const entries: LogEntry[] = [];
    const damaged = new Map<string, string>();
    const newer = new Map<string, string>();
    for (const kept of catalog.entries()) {
      // Known damage is told even where it is not listed.
      if (entries.length >= limit && damaged.size + newer.size >= catalog.damaged) break;
      const entry = catalog.isFresh(kept.hex) ? kept : upToDate(store, kept);
      if (entry === undefined) continue;
      if ("damage" in entry.content)
        (entry.content.newer === true ? newer : damaged).set(entry.hex, entry.content.damage);
      if (entries.length < limit && fits(entry)) entries.push(describe(store, entry, tags));
    }
    const listed = options.byLineage === true ? byLineage(entries).slice(0, most) : entries;
    for (const entry of listed)
      if (entry.parent !== undefined && !hasPack(store.root, hexOf(entry.parent))) entry.parent_absent = true;
    return {
      entries: listed,
      total: catalog.count,
      damaged: withMessages(damaged),
      newer: withMessages(newer),
      lost_tags: lost,
    };
  });
}

function withMessages(packs: ReadonlyMap<string, string>): LogResult["damaged"] {
  return [...packs].map(([hex, message]) => ({ hash: toReference(hex), message }));
}

/** Each pack before its parent; after a pack comes its parent, if all other children were there. */
function byLineage(entries: readonly LogEntry[]): LogEntry[] {
  const known = new Map(entries.map((entry) => [entry.hash, entry]));
  const children = new Map<string, number>();
  for (const { parent } of entries)
    if (parent !== undefined) children.set(parent, (children.get(parent) ?? 0) + 1);
  const waiting = entries.filter(({ hash }) => !children.has(hash)).toReversed();
  const ordered: LogEntry[] = [];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    ordered.push(entry);
    const parent = entry.parent === undefined ? undefined : known.get(entry.parent);
    if (parent === undefined) continue;
    const left = (children.get(parent.hash) as number) - 1;
    children.set(parent.hash, left);
    if (left === 0) waiting.push(parent);
  }
  return ordered;
}

/** The entry as it is now: where the manifest's file has changed since it was catalogued, it is read again. */
function upToDate(store: Store, entry: HistoryEntry): HistoryEntry | undefined {
  if (signatureOf(store.root, entry.hex) === entry.signature) return entry;
  const now = readEntry(store.root, entry.hex);
  if (now === undefined) return undefined;
  // Only the catalog knows all versions, and what was found by comparing a pack with its parent.
  const { neverRun } = "damage" in entry.content ? {} : entry.content;
  if (neverRun !== undefined && !("damage" in now.content)) now.content.neverRun = neverRun;
  return entry.version === undefined ? now : { ...now, version: entry.version };
}

/** All that was asked for, as one question. A damaged pack fits any: nobody can say that it does not. */
function filterOf(store: Store, options: LogOptions): (entry: HistoryEntry) => boolean {
  const model = options.model?.toLowerCase();
  const since = momentOption("since", options.since);
  const until = momentOption("until", options.until);
  const tagged = options.tag === undefined ? undefined : taggedPack(store, options.tag);
  const parent = options.parent === undefined ? undefined : parentPack(store, options.parent);
  const isProject =
    options.project === undefined
      ? undefined
      : projectFilter(options.project, { folder: options.folder ?? store.folder, real: realPath });
  return ({ hex, content }) => {
    if (tagged !== undefined && hex !== tagged) return false;
    if ("damage" in content) return true;
    if (
      model !== undefined &&
      ![content.model, ...(content.models ?? [])].some((name) => name.toLowerCase().includes(model))
    )
      return false;
    if (options.agent !== undefined && content.agent !== options.agent) return false;
    if (options.tool !== undefined && !content.tools.includes(options.tool)) return false;
    if (parent !== undefined && content.parent !== parent) return false;
    if (options.session !== undefined && !isSession(content.session, options.session)) return false;
    if (isProject?.(content.project) === false) return false;
    if (since === undefined && until === undefined) return true;
    const created = knownTime(content.created);
    return !(since && compareTimes(created, since) < 0) && !(until && compareTimes(created, until) > 0);
  };
}

/** The path without links; undefined where there is no such folder. */
export function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Fewer characters than this are the beginning of too many ids to mean one. */
const shortestBeginning = 4;

function isSession(session: string | undefined, asked: string): boolean {
  if (session === undefined) return false;
  const isBeginning = asked.length >= shortestBeginning && session.startsWith(asked);
  return isBeginning || session === asked || session.startsWith(`${asked}/`);
}

function taggedPack(store: Store, tag: string): string {
  const hex = readTag(store.root, tag);
  if (hex !== undefined) return hex;
  throw new CtxError("not-found", `there is no tag "${tag}"`, { hint: "`ctx tag` lists the tags" });
}

/** A parent need not be in the store, if it is named in full. */
function parentPack(store: Store, name: string): string {
  const full = name
    .replace(/^ctx:\/\//, "")
    .replace(/^(?!sha256:)/, "sha256:")
    .toLowerCase();
  return isReference(full) ? hexOf(full) : resolvePack(store, name);
}

function describe(
  store: Store,
  { hex, content, version }: HistoryEntry,
  tags: ReadonlyMap<string, string[]>,
): LogEntry {
  const hash = toReference(hex);
  const own = tags.get(hex) ?? [];
  if ("damage" in content) {
    const unread = { hash, created: null, model: null, steps: null, tags: own };
    return content.newer === true ? { ...unread, damaged: false, newer: true } : { ...unread, damaged: true };
  }
  const { created, model, steps, parent, session, subagent, project, agent, format, origin, neverRun } =
    content;
  const line: LogEntry = { hash, created, model, steps, tags: own, damaged: false };
  if (parent !== undefined) line.parent = toReference(parent);
  if (session !== undefined) line.session = session;
  if (subagent !== undefined) line.subagent = subagent;
  if (project !== undefined) line.project = project;
  if (agent !== undefined) line.agent = agent;
  if (format !== undefined) line.format = format;
  if (origin !== undefined) line.origin = origin;
  if (origin === "replay" && isReplayOfDraft(store, hex)) line.of_draft = true;
  // As in `ctx show`: without its parent, a pack does not reveal that it is a draft.
  else if (neverRun === true && hasPack(store.root, parent ?? "")) line.origin = "draft";
  return version === undefined ? line : { ...line, version: version.number, versions: version.of };
}

/** Only packs that say that they are replays are read for this. */
function isReplayOfDraft(store: Store, hex: string): boolean {
  try {
    const origin = knownOrigin(store, readPack(store.root, hex).manifest);
    return origin?.kind === "replay" && origin.of_draft === true;
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}
