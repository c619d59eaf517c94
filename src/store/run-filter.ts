// Filters runs by what the catalog says of them: the options that `ctx log`, `ctx grep` and `ctx stats` share.
import * as fs from "node:fs";
import { hexOf, isReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { projectFilter } from "../model/project.js";
import { compareTimes, knownTime, parseTimeOption } from "../model/times.js";
import type { HistoryEntry } from "./history.js";
import { readTag } from "./refs.js";
import { resolvePack } from "./resolve.js";
import type { Store } from "./store.js";

export interface RunFilter {
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
  /** Only runs with calls that a person or a rule denied. */
  denied?: boolean;
  /** The folder that a relative `project` is resolved against. */
  folder?: string;
}

/**
 * Returns a predicate for all filters. A damaged pack matches every filter except `tag`, because its content
 * is unknown.
 */
export function runFilter(store: Store, options: RunFilter): (entry: HistoryEntry) => boolean {
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
    if (options.denied === true && content.denied === undefined) return false;
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
