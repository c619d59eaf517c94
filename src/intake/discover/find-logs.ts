// Finds logs in the folders where agents keep them, and reads the beginning of each for the project, the
// model and the first prompt. No link below such a folder is followed; unreadable files are skipped and
// listed.
import * as fs from "node:fs";
import { dirname, join, parse, relative, resolve } from "node:path";
import { CtxError, errnoOf } from "../../base/errors.js";
import { below, entriesIn, fill, openRegular, usingDescriptor } from "../../base/fs/files.js";
import { compareTimes, parseTime, type Time } from "../../model/times.js";
import { summariseHead, type LogSummary } from "./log-summary.js";
import { type SessionLocation, sessionLocations, rootFolder, type AgentPaths } from "./session-locations.js";

export interface FoundLog {
  agent: string;
  path: string;
  /** Of all files that it consists of. */
  size: number;
  /** When it last changed. */
  modified: Date;
  /** Differs after every change. */
  signature: string;
  location: SessionLocation;
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
const headSizes = [1 << 13, 1 << 17];

/** A file may claim a time that no date can express: this is the last millisecond of the year 9999. */
const latest = 253_402_300_799_999;

/** Returns the logs of the requested agents, newest first; of these, only those with a wanted path. */
export function findLogs(
  where: AgentPaths,
  isWanted: (agent: string) => boolean,
  isWantedPath: (path: string) => boolean = () => true,
): FoundLogs {
  const found: FoundLogs = { logs: [], folders: [], unreadable: [] };
  const seen = new Set<string>();
  for (const location of sessionLocations.filter(({ agent }) => isWanted(agent))) {
    const root = location.roots
      .map((name) => rootFolder(name, where))
      .find((folder) => folder !== undefined && isFolder(fs.statSync, folder, found));
    if (root === undefined) continue;
    const parts = location.files.split("/");
    // oxlint-disable-next-line ctx/no-spread-call -- a path of ours has few parts
    const top = join(root, ...parts.slice(0, parts.findIndex((part) => part.includes("*")) >>> 0));
    if (!found.folders.includes(top) && isFolder(fs.statSync, top, found)) found.folders.push(top);
    for (const path of walk(resolve(root), parts, found)) {
      if (seen.has(path) || !isWantedPath(path)) continue;
      seen.add(path);
      const log = describeLog(path, { location, root: resolve(root) }, found);
      if (log !== undefined) found.logs.push(log);
    }
  }
  found.logs.sort((a, b) => b.modified.getTime() - a.modified.getTime() || (a.path < b.path ? -1 : 1));
  return found;
}

/** Returns the log of an agent at a path, as it is now; undefined when there is none. */
export function logAt(path: string, agent: string): FoundLog | undefined {
  const location = sessionLocations.find((each) => each.agent === agent) ?? { agent, roots: [], files: "" };
  return describeLog(path, { location, root: dirname(path) }, { logs: [], folders: [], unreadable: [] });
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

/** Returns whether a name has the parts of a pattern, in their order, with anything between them. */
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
  { location, root }: Pick<FoundLog, "location" | "root">,
  found: FoundLogs,
): FoundLog | undefined {
  if (location.except?.test(path.slice(dirname(path).length + 1)) === true) return undefined;
  try {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return undefined;
    const more = location.beside === undefined ? [] : filesBeside(path, location.beside, found);
    const all = [stat, ...more];
    const size = all.reduce((sum, each) => sum + each.size, 0n);
    const modified = all.reduce((newest, { mtimeNs }) => (mtimeNs > newest ? mtimeNs : newest), 0n);
    return {
      agent: location.agent,
      path,
      size: Number(size),
      modified: new Date(Math.min(Number(modified / 1_000_000n), latest)),
      signature: `${all.length}-${size}-${modified}`,
      location,
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
export function summarise({ path, location, root }: FoundLog): LogSummary {
  let summary: LogSummary = {};
  for (const size of headSizes) {
    const seen = beginningOf(() => openLog({ root, path }), size);
    if (seen !== undefined) summary = summariseHead(seen.bytes, seen.isWhole);
    const { project, model, prompt } = summary;
    const isComplete = project !== undefined && model !== undefined && prompt !== undefined;
    if (seen === undefined || seen.isWhole || isComplete) break;
  }
  if (summary.project !== undefined || location.project === undefined) return summary;
  const beside = join(path, location.project);
  const named = beginningOf(() => openRegular(beside).descriptor, 4096)
    ?.bytes.toString("utf8")
    .trim();
  return named === undefined || named === "" ? summary : { ...summary, project: named };
}

/** How much of a log's end is read for the time of its last record, in bytes. */
const tailSize = 1 << 16;

/** Returns the latest time that the records at the end of a log state; undefined when they state none. */
export function lastTime({ path, root }: Pick<FoundLog, "path" | "root">): Time | undefined {
  const tail = readOpened(
    () => openLog({ root, path }),
    (descriptor) => {
      const { size } = fs.fstatSync(descriptor);
      const buffer = Buffer.alloc(Math.min(tailSize, size));
      return buffer.toString(
        "utf8",
        0,
        fs.readSync(descriptor, buffer, 0, buffer.length, size - buffer.length),
      );
    },
  );
  let latest: Time | undefined;
  // In a text that a record quotes, the quotation marks are escaped.
  for (const [, text = ""] of (tail ?? "").matchAll(
    /[{,]\s*"(?:timestamp|lastUpdated)"\s*:\s*"([^"\\]{1,64})"/g,
  )) {
    const time = parseTime(text);
    if (typeof time !== "string" && (latest === undefined || compareTimes(time, latest) > 0)) latest = time;
  }
  return latest;
}

function beginningOf(open: () => number, maxBytes: number): { bytes: Buffer; isWhole: boolean } | undefined {
  return readOpened(open, (descriptor) => {
    const { size } = fs.fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(maxBytes, size));
    return { bytes: buffer.subarray(0, fill(descriptor, buffer)), isWhole: size <= maxBytes };
  });
}

/** Returns what `read` returns for an opened file; undefined when it cannot be read. */
function readOpened<T>(open: () => number, read: (descriptor: number) => T): T | undefined {
  try {
    return usingDescriptor(open(), read);
  } catch (error) {
    if (error instanceof CtxError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}
