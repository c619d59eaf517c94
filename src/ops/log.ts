// `ctx log`: lists the packs of a store, newest first, all or those that match.
import * as fs from "node:fs";
import { hexOf, isReference, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { projectFilter } from "../model/project.js";
import type { LogEntry, LogResult } from "../results/log.js";
import { compareTimes, knownTime } from "../model/times.js";
import {
  type Catalog,
  type HistoryEntry,
  type OnPackRead,
  readEntry,
  withCatalog,
} from "../store/catalog.js";
import { signatureOf } from "../store/objects.js";
import { knownOrigin } from "../verify/origin.js";
import { hasPack, readPack } from "../store/packs.js";
import { readTag, readTags } from "../store/refs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { readTitle, titledPacks } from "../store/titles.js";
import { parseTimeOption } from "../model/times.js";

export interface LogOptions {
  /** Maximum number of entries. */
  limit?: number;
  /** Only runs of a model whose name contains this text, ignoring case. */
  model?: string;
  /** Only runs that used this tool. */
  tool?: string;
  /** Only runs of this agent. */
  agent?: string;
  /** Only runs at or after this time: a timestamp, a date, or an age such as `7d`. */
  since?: string;
  /** Only runs at or before this time. */
  until?: string;
  /** Only the pack with this tag. */
  tag?: string;
  /** Only runs derived from this pack. */
  parent?: string;
  /** Only runs of the session with this id, or with an id that starts with it, and of its sub-agents. */
  session?: string;
  /** Only runs that worked in this folder or a folder below it, or in a folder with this name. */
  project?: string;
  /** Only runs with calls that failed, by the log's own account. */
  failed?: boolean;
  /** The folder that a relative `project` is resolved against. */
  folder?: string;
  /** Leave out the runs of sub-agents whose run is in the store: they are a part of it. */
  foldSubagents?: boolean;
  /**
   * List children before their parents and keep each line of descent together, as the lineage graph needs
   * them.
   */
  byLineage?: boolean;
  /** Called while all packs are read, as for the first list of a store. */
  progress?: OnPackRead;
}

export function log(store: Store, options: LogOptions = {}): LogResult {
  const fits = filterOf(store, options);
  const maxEntries = options.limit ?? Number.POSITIVE_INFINITY;
  // The lineage is known only after all packs have been read.
  const limit = options.byLineage === true ? Number.POSITIVE_INFINITY : maxEntries;
  const { byPack: tags, lost } = readTags(store.root);
  const names: PackNames = { tags, titled: titledPacks(store.root) };
  return withCatalog(
    store,
    (catalog) => {
      const isFolded = foldOf(catalog, options);
      const entries: LogEntry[] = [];
      const damaged = new Map<string, string>();
      const newer = new Map<string, string>();
      for (const kept of catalog.entries()) {
        // Report known damage even beyond the limit.
        if (entries.length >= limit && damaged.size + newer.size >= catalog.damaged) break;
        const entry = catalog.isFresh(kept.hex) ? kept : upToDate(store, kept);
        if (entry === undefined) continue;
        if ("damage" in entry.content)
          (entry.content.newer === true ? newer : damaged).set(entry.hex, entry.content.damage);
        // Called for every entry: it learns from them which runs are listed.
        const folded = isFolded(entry);
        if (entries.length < limit && !folded && fits(entry)) entries.push(describe(store, entry, names));
      }
      const listed = options.byLineage === true ? byLineage(entries).slice(0, maxEntries) : entries;
      for (const entry of listed)
        if (entry.parent !== undefined && !hasPack(store.root, hexOf(entry.parent)))
          entry.parent_absent = true;
      return {
        entries: listed,
        total: catalog.count,
        damaged: withMessages(damaged),
        newer: withMessages(newer),
        lost_tags: lost,
      };
    },
    options.progress,
  );
}

function withMessages(packs: ReadonlyMap<string, string>): LogResult["damaged"] {
  return [...packs].map(([hex, message]) => ({ hash: toReference(hex), message }));
}

/**
 * Sorts packs so that each comes before its parent. A pack is followed directly by its parent if all other
 * children of that parent came before.
 */
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

/**
 * Returns a predicate that must see every entry in order: whether it is the run of a sub-agent, and the run
 * that started it is in the store too. A sub-agent ends before the run that started it, so that run is
 * usually known already; else the whole catalog is searched for it, once.
 */
function foldOf(catalog: Catalog, options: LogOptions): (entry: HistoryEntry) => boolean {
  const { session, tag, parent } = options;
  // These filters ask for certain packs.
  if (options.foldSubagents !== true || [session, tag, parent].some((filter) => filter !== undefined))
    return () => false;
  const listed = new Set<string>();
  const note = ({ content }: HistoryEntry): void => {
    if (!("damage" in content) && content.session !== undefined && content.subagent === undefined)
      listed.add(sessionKey(content.format, content.session));
  };
  let isComplete = false;
  return (entry) => {
    note(entry);
    if ("damage" in entry.content) return false;
    const { session: own, subagent, format } = entry.content;
    if (own === undefined || subagent === undefined) return false;
    const key = sessionKey(format, own.slice(0, -subagent.length - 1));
    if (!listed.has(key) && !isComplete) {
      for (const each of catalog.entries()) note(each);
      isComplete = true;
    }
    return listed.has(key);
  };
}

function sessionKey(format: string | undefined, session: string): string {
  return `${format ?? ""} ${session}`;
}

/** Returns the current entry; reads the manifest again if its file has changed since it was catalogued. */
function upToDate(store: Store, entry: HistoryEntry): HistoryEntry | undefined {
  if (signatureOf(store.root, entry.hex) === entry.signature) return entry;
  const now = readEntry(store.root, entry.hex);
  if (now === undefined) return undefined;
  // Only the catalog knows all versions, and the result of comparing a pack with its parent.
  const { neverRun } = "damage" in entry.content ? {} : entry.content;
  if (neverRun !== undefined && !("damage" in now.content)) now.content.neverRun = neverRun;
  return entry.version === undefined ? now : { ...now, version: entry.version };
}

/**
 * Returns a predicate for all filters. A damaged pack matches every filter except `tag`, because its content
 * is unknown.
 */
function filterOf(store: Store, options: LogOptions): (entry: HistoryEntry) => boolean {
  const model = options.model?.toLowerCase();
  const since = parseTimeOption("since", options.since);
  const until = parseTimeOption("until", options.until);
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
    if (options.failed === true && content.failed === 0) return false;
    if (options.tool !== undefined && !content.tools.includes(options.tool)) return false;
    if (parent !== undefined && content.parent !== parent) return false;
    if (options.session !== undefined && !isSession(content.session, options.session)) return false;
    if (isProject?.(content.project) === false) return false;
    if (since === undefined && until === undefined) return true;
    const created = knownTime(content.created);
    return !(since && compareTimes(created, since) < 0) && !(until && compareTimes(created, until) > 0);
  };
}

/** Resolves the links in a path; returns undefined if it does not exist. */
export function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch {
    return undefined;
  }
}

/** A shorter prefix would match too many session ids. */
const shortestBeginning = 4;

function isSession(session: string | undefined, wanted: string): boolean {
  if (session === undefined) return false;
  const isBeginning = wanted.length >= shortestBeginning && session.startsWith(wanted);
  return isBeginning || session === wanted || session.startsWith(`${wanted}/`);
}

function taggedPack(store: Store, tag: string): string {
  const hex = readTag(store.root, tag);
  if (hex !== undefined) return hex;
  throw new CtxError("not-found", `there is no tag "${tag}"`, { hint: "`ctx tag` lists the tags" });
}

/** Resolves the name of a parent. A parent that is named in full need not be in the store. */
function parentPack(store: Store, name: string): string {
  const full = name
    .replace(/^ctx:\/\//, "")
    .replace(/^(?!sha256:)/, "sha256:")
    .toLowerCase();
  return isReference(full) ? hexOf(full) : resolvePack(store, name);
}

/** The names that users gave to packs. */
interface PackNames {
  tags: ReadonlyMap<string, string[]>;
  /** The packs that may have a title of the user's. */
  titled: ReadonlySet<string>;
}

function describe(store: Store, { hex, content, version }: HistoryEntry, names: PackNames): LogEntry {
  const hash = toReference(hex);
  const own = names.tags.get(hex) ?? [];
  const chosen = names.titled.has(hex) ? readTitle(store.root, hex) : undefined;
  if ("damage" in content) {
    const unread = { hash, created: null, model: null, steps: null, title: chosen ?? null, tags: own };
    return content.newer === true ? { ...unread, damaged: false, newer: true } : { ...unread, damaged: true };
  }
  const { created, model, steps, parent, session, subagent, project, agent, format, origin, neverRun } =
    content;
  const { prompts, failed, subruns, duration, tokens } = content;
  const title = chosen ?? content.title ?? null;
  const line: LogEntry = { hash, created, model, steps, title, prompts, failed, tags: own, damaged: false };
  if (duration !== undefined) line.duration_ms = duration;
  if (content.denied !== undefined) line.denied = content.denied;
  if (tokens !== undefined) line.tokens = tokens;
  line.subruns = subruns;
  if (content.untimed === true) line.untimed = true;
  if (parent !== undefined) line.parent = toReference(parent);
  if (session !== undefined) line.session = session;
  if (subagent !== undefined) line.subagent = subagent;
  if (project !== undefined) line.project = project;
  if (agent !== undefined) line.agent = agent;
  if (format !== undefined) line.format = format;
  if (origin !== undefined) line.origin = origin;
  if (origin === "replay" && isReplayOfDraft(store, hex)) line.of_draft = true;
  // As in `ctx show`: a draft is recognised only by comparison with its parent.
  else if (neverRun === true && hasPack(store.root, parent ?? "")) line.origin = "draft";
  return version === undefined ? line : { ...line, version: version.number, versions: version.of };
}

/**
 * Returns whether a replay is of a draft. Called only for packs whose origin is a replay, because it reads
 * the pack.
 */
function isReplayOfDraft(store: Store, hex: string): boolean {
  try {
    const origin = knownOrigin(store, readPack(store.root, hex).manifest);
    return origin?.kind === "replay" && origin.of_draft === true;
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}
