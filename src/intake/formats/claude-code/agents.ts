// Files of sub-agents: in a folder named for the session, or, in older versions, beside it. Each may have a small file with it
// that says which call started it. None of them is trusted: only regular files are read, and no link is followed.
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { CtxError, errnoOf } from "../../../base/errors.js";
import { fill, openRegular, piecesOf, readIfThere, usingDescriptor } from "../../../base/files.js";
import type { JsonValue } from "../../../base/json.js";
import { textAt } from "../../fields.js";
import { partialJson } from "../../head.js";
import { type Source, sourceOf } from "../../source.js";

export interface AgentFile {
  path: string;
  /** Whether it lies in the session's own folder. */
  isOwn: boolean;
  /** The session that its first record names. */
  session: string | undefined;
  /** What it was asked. */
  prompt: string | undefined;
  /** The call that started it, where a file says so. */
  call: string | undefined;
}

const agentName = /^agent-([\w-]+)\.jsonl$/;
const firstLook = 1 << 14;

/** The agents that may belong to a transcript, by their ids. */
export function agentFiles(transcript: string | undefined): Map<string, AgentFile> {
  const found = new Map<string, AgentFile>();
  if (transcript === undefined || agentName.test(basename(transcript))) return found;
  const own = join(transcript.replace(/\.[^./]*$/, ""), "subagents");
  const paths = [...(isFolder(dirname(own)) ? list(own, 3) : []), ...list(dirname(transcript), 0)];
  for (const path of paths) {
    const id = agentName.exec(basename(path))?.[1];
    if (id === undefined || found.has(id)) continue;
    const isOwn = path.startsWith(own);
    const first = firstRecord(path);
    // Where the first line is damaged the others may be good.
    if (first === undefined && !isOwn) continue;
    found.set(id, {
      path,
      isOwn,
      session: textAt(first, "sessionId"),
      prompt: textAt(first, "message", "content"),
      call: textAt(described(path), "toolUseId"),
    });
  }
  return found;
}

/** Files of agents in a folder, and in folders below it. One that is no folder, or may not be read, has none. */
function list(folder: string, depth: number): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (agentName.test(name)) return [path];
    return depth > 0 && isFolder(path) ? list(path, depth - 1) : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return isFolder(folder) ? fs.readdirSync(folder).sort() : [];
  } catch (error) {
    if (errnoOf(error) !== undefined) return [];
    throw error;
  }
}

/** A folder itself, not a link to one. */
function isFolder(path: string): boolean {
  try {
    return fs.lstatSync(path).isDirectory();
  } catch (error) {
    if (errnoOf(error) !== undefined) return false;
    throw error;
  }
}

function firstRecord(path: string): JsonValue | undefined {
  return openSafely(path, (descriptor) => {
    const bytes = Buffer.alloc(firstLook);
    return partialJson(bytes.toString("utf8", 0, fill(descriptor, bytes)));
  });
}

/** What the small file beside it says. */
function described(path: string): JsonValue | undefined {
  try {
    const bytes = readIfThere(path.replace(/\.jsonl$/, ".meta.json"));
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as JsonValue);
  } catch {
    return undefined;
  }
}

/** Reads an agent's file; undefined when that cannot be done. */
export function openAgent<T>({ path }: AgentFile, work: (source: Source) => T): T | undefined {
  return openSafely(path, (descriptor) => work(sourceOf(piecesOf(descriptor), { name: path })));
}

function openSafely<T>(path: string, work: (descriptor: number) => T): T | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(path).descriptor;
  } catch (error) {
    if (error instanceof CtxError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
  return usingDescriptor(descriptor, work);
}
