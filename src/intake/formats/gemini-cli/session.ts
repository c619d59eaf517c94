// Reads a session: its header, and its messages.
import { sha256 } from "../../../base/digest.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { listAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { StartedAgent } from "../../format.js";
import { GeminiReader } from "./reader.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import type { JournalMessage, Journal } from "./journal.js";
import { mayHaveHash } from "./project-root.js";

/**
 * Reads a whole session, and returns the sub-agents that it started. `root`: the folder that a file beside it
 * names.
 */
export function takeSession(
  builder: RunBuilder,
  { about, entries }: Journal,
  root: string | undefined,
): StartedAgent[] {
  const reader = new GeminiReader(builder);
  describeSession(builder, about);
  if (root !== undefined && mayHaveHash(root, wordAt(about, "projectHash"))) builder.see({ cwd: root });
  else findFolder(builder, about, entries);
  for (const { message, isAbandoned, isInjected, isBoundary } of entries) {
    const at: At = {
      time: timeOf(message["timestamp"], builder.coverage),
      ...(isAbandoned ? { metadata: { abandoned: true } } : {}),
    };
    if (isBoundary) builder.context("compaction", "", at);
    reader.take(message, at, isInjected);
  }
  return reader.started;
}

function describeSession(builder: RunBuilder, about: JsonObject): void {
  const { coverage, source, metadata } = builder;
  for (const name of ["startTime", "lastUpdated"]) builder.see({ time: timeOf(about[name], coverage) });
  const [session, hash, title] = ["sessionId", "projectHash", "summary"].map((name) => wordAt(about, name));
  // A sub-agent's log has its own id as session id, and does not name its session.
  if (session !== undefined) source[textAt(about, "kind") === "subagent" ? "subagent" : "session"] = session;
  if (hash !== undefined) source["project_hash"] = hash;
  if (title !== undefined) metadata["title"] = title;
  const directories = listAt(about, "directories").filter((item) => typeof item === "string");
  if (directories.length > 0) metadata["directories"] = directories;
}

const maxTried = 20_000;

/** Returns whether a path is plausible: real paths are shorter, and have fewer folders. */
function isLikely(path: string): boolean {
  return path.length <= 4096 && path.split(/[\\/]/, 65).length < 65;
}

/** How many characters of messages are searched for paths. */
const maxSearched = 8 << 20;

/**
 * Finds the session's folder. The log has only the hash of its path: it is the folder above some file whose
 * path has that hash. Files that calls name come first, then all paths in the messages.
 */
function findFolder(builder: RunBuilder, about: JsonObject, entries: readonly JournalMessage[]): void {
  const hash = wordAt(about, "projectHash");
  if (hash === undefined || !/^[0-9a-f]{64}$/.test(hash)) return;
  const tried = new Set<string>();
  const named = [...listAt(about, "directories"), ...entries.flatMap(({ message }) => paths(message))];
  for (const path of inTurn(named, pathsInTexts(entries))) {
    if (typeof path !== "string" || !isLikely(path) || tried.size > maxTried) continue;
    for (let folder = path; folder !== "" && !tried.has(folder); ) {
      tried.add(folder);
      if (sha256(Buffer.from(folder)) === hash) {
        builder.coverage.rebuilt("the folder: one of those above a file, by the hash of its path");
        builder.see({ cwd: folder });
        return;
      }
      folder = folder.slice(0, Math.max(folder.lastIndexOf("/"), folder.lastIndexOf("\\"), 0));
    }
  }
}

function* inTurn<T>(...lists: Iterable<T>[]): Iterable<T> {
  for (const list of lists) yield* list;
}

/** Finds paths in what was typed, said and printed: `cd /home/ana/project`. */
function* pathsInTexts(entries: readonly JournalMessage[]): Iterable<string> {
  let searched = 0;
  for (const { message } of entries) {
    const text = JSON.stringify([message["content"], message["toolCalls"]]);
    searched += text.length;
    if (searched > maxSearched) return;
    for (const [path] of text.matchAll(/\/[^\s"'`:,;()<>|&*?\\]{1,4096}/g)) yield path.replace(/\.$/, "");
  }
}

function paths(message: JsonObject): (JsonValue | undefined)[] {
  return objectsAt(message, "toolCalls").flatMap((call) => [
    ...["file_path", "absolute_path", "dir_path", "path"].map((name) => valueAt(call, "args", name)),
    valueAt(call, "resultDisplay", "filePath"),
  ]);
}
