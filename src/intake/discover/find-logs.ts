// Finds logs in the folders where agents keep them, and reads the beginning of each for the project and the
// model. No link below such a folder is followed; unreadable files are skipped and listed.
import * as fs from "node:fs";
import { dirname, join, parse, relative, resolve } from "node:path";
import { CtxError, errnoOf } from "../../base/errors.js";
import { below, entriesIn, fill, openRegular, usingDescriptor } from "../../base/fs/files.js";
import { glanceAt, type LogSummary } from "./log-summary.js";
import { type SessionLocation, places, rootFolder, type Whereabouts } from "./session-locations.js";

export interface FoundLog {
  agent: string;
  path: string;
  /** Of all files that it consists of. */
  size: number;
  /** When it last changed. */
  modified: Date;
  /** Differs after every change. */
  signature: string;
  place: SessionLocation;
  /** The folder of the agent that it was found below. */
  root: string;
}

export interface FoundLogs {
  logs: FoundLog[];
  /** The folders that exist and were searched. */
  folders: string[];
  /** Files and folders that could not be read, and why. */
  unreadable: { path: string; why: string }[];
}

/** How much of a log is read: a little, and more only if that does not answer everything. */
const glances = [1 << 13, 1 << 17];

/** A file may claim a time that no date can express: this is the last millisecond of the year 9999. */
const latest = 253_402_300_799_999;

/** Returns the logs of the requested agents, newest first. */
export function findLogs(where: Whereabouts, isAsked: (agent: string) => boolean): FoundLogs {
  const found: FoundLogs = { logs: [], folders: [], unreadable: [] };
  const seen = new Set<string>();
  for (const place of places.filter(({ agent }) => isAsked(agent))) {
    const root = place.roots
      .map((name) => rootFolder(name, where))
      .find((folder) => folder !== undefined && isFolder(fs.statSync, folder, found));
    if (root === undefined) continue;
    const parts = place.files.split("/");
    // oxlint-disable-next-line ctx/no-spread-call -- a path of ours has few parts
    const top = join(root, ...parts.slice(0, parts.findIndex((part) => part.includes("*")) >>> 0));
    if (!found.folders.includes(top) && isFolder(fs.statSync, top, found)) found.folders.push(top);
    for (const path of walk(resolve(root), parts, found)) {
      if (seen.has(path)) continue;
      seen.add(path);
      const log = describeLog(path, { place, root: resolve(root) }, found);
      if (log !== undefined) found.logs.push(log);
    }
  }
  found.logs.sort((a, b) => b.modified.getTime() - a.modified.getTime() || (a.path < b.path ? -1 : 1));
  return found;
}

/** Returns the log of an agent at a path, as it is now; undefined when there is none. */
export function logAt(path: string, agent: string): FoundLog | undefined {
  const place = places.find((each) => each.agent === agent) ?? { agent, roots: [], files: "" };
  return describeLog(path, { place, root: dirname(path) }, { logs: [], folders: [], unreadable: [] });
}

/**
 * Opens a log that was found, for reading. Since it was found, it or a folder on the way to it may have been
 * replaced by a link: each part of the path below the agent's folder is entered without following one.
 */
export function openLog({ root, path }: Pick<FoundLog, "root" | "path">): number {
  try {
    return below(root, relative(root, path), (file) => openRegular(file).descriptor);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "ELOOP" && errno !== "ENOTDIR") throw error;
    throw new CtxError("io", `cannot read the log ${path}: it was replaced by a link (${errno})`, {
      data: { path, errno },
      cause: error,
    });
  }
}

function* walk(folder: string, [part = "", ...rest]: readonly string[], found: FoundLogs): Generator<string> {
  if (!part.includes("*")) {
    const path = join(folder, part);
    if (rest.length === 0) yield path;
    else if (isFolder(fs.lstatSync, path, found)) yield* walk(path, rest, found);
    return;
  }
  for (const entry of entriesOf(folder, found)) {
    if (!fits(entry.name, part)) continue;
    const path = join(folder, entry.name);
    if (entry.name.includes("\ufffd") && !fs.existsSync(path))
      found.unreadable.push({ path, why: "its name is not UTF-8" });
    if (rest.length === 0 && entry.isFile()) yield path;
    if (rest.length > 0 && entry.isDirectory()) yield* walk(path, rest, found);
  }
}

function entriesOf(folder: string, found: FoundLogs): fs.Dirent[] {
  try {
    return entriesIn(folder);
  } catch (error) {
    stepOver(error, folder, found);
    return [];
  }
}

/** Whether a name has the parts of a pattern, in their order, with anything between them. */
function fits(name: string, pattern: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop() ?? "";
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of others) {
    const next = name.indexOf(part, at);
    if (next === -1 || next + part.length > end) return false;
    at = next + part.length;
  }
  return true;
}

function describeLog(
  path: string,
  { place, root }: Pick<FoundLog, "place" | "root">,
  found: FoundLogs,
): FoundLog | undefined {
  if (place.except?.test(path.slice(dirname(path).length + 1)) === true) return undefined;
  try {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return undefined;
    const more = place.beside === undefined ? [] : filesBeside(path, place.beside, found);
    const all = [stat, ...more];
    const size = all.reduce((sum, each) => sum + each.size, 0n);
    const modified = all.reduce((newest, { mtimeNs }) => (mtimeNs > newest ? mtimeNs : newest), 0n);
    return {
      agent: place.agent,
      path,
      size: Number(size),
      modified: new Date(Math.min(Number(modified / 1_000_000n), latest)),
      signature: `${all.length}-${size}-${modified}`,
      place,
      root,
    };
  } catch (error) {
    stepOver(error, path, found);
    return undefined;
  }
}

function filesBeside(path: string, beside: string, found: FoundLogs): fs.BigIntStats[] {
  let folder = dirname(path);
  for (const part of beside.split("/")) {
    folder = join(
      folder,
      part.replace("*", () => parse(path).name),
    );
    if (!isFolder(fs.lstatSync, folder, found)) return [];
  }
  return entriesOf(folder, found)
    .filter((entry) => entry.isFile())
    .map(({ name }) => fs.lstatSync(join(folder, name), { bigint: true }));
}

function isFolder(look: typeof fs.statSync, path: string, found: FoundLogs): boolean {
  try {
    return look(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    stepOver(error, path, found);
    return false;
  }
}

/** Notes an error of the system, so that the search continues with the rest. */
function stepOver(error: unknown, path: string, { unreadable }: FoundLogs): void {
  const why = errnoOf(error);
  if (why === undefined) throw error;
  if (why === "ENOENT" || why === "ENOTDIR") return;
  if (!unreadable.some((each) => each.path === path)) unreadable.push({ path, why });
}

/** Returns what the beginning of a log says about its run; nothing when it cannot be read. */
export function glance({ path, place, root }: FoundLog): LogSummary {
  let glanced: LogSummary = {};
  for (const size of glances) {
    const seen = beginningOf(() => openLog({ root, path }), size);
    if (seen !== undefined) glanced = glanceAt(seen.bytes, seen.isWhole);
    if (seen === undefined || seen.isWhole || (glanced.project !== undefined && glanced.model !== undefined))
      break;
  }
  if (glanced.project !== undefined || place.project === undefined) return glanced;
  const beside = join(path, place.project);
  const named = beginningOf(() => openRegular(beside).descriptor, 4096)
    ?.bytes.toString("utf8")
    .trim();
  return named === undefined || named === "" ? glanced : { ...glanced, project: named };
}

function beginningOf(open: () => number, most: number): { bytes: Buffer; isWhole: boolean } | undefined {
  try {
    return usingDescriptor(open(), (descriptor) => {
      const { size } = fs.fstatSync(descriptor);
      const buffer = Buffer.alloc(Math.min(most, size));
      return { bytes: buffer.subarray(0, fill(descriptor, buffer)), isWhole: size <= most };
    });
  } catch (error) {
    if (error instanceof CtxError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}
