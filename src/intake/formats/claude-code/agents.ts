// Finds the logs of sub-agents: in a folder named for the session, or, in older versions, beside it. Each may
// have a small file beside it that names the call that started it.
import { basename, dirname, join } from "node:path";
import { fill, readIfThere } from "../../../base/fs/files.js";
import type { JsonValue } from "../../../base/json/value.js";
import { isFolder, namesIn, openSafely } from "../../sibling-files.js";
import { textAt } from "../../json-access.js";
import { partialJson } from "../../head.js";

export interface AgentFile {
  path: string;
  /** Whether it lies in the session's own folder. */
  isOwn: boolean;
  /** The session that its first record names. */
  session: string | undefined;
  /** The prompt that it was started with. */
  prompt: string | undefined;
  /** The call that started it, where a file says so. */
  call: string | undefined;
}

const agentName = /^agent-([\w-]+)\.jsonl$/;
const firstLook = 1 << 14;

/** Returns the sub-agents that may belong to a transcript, by their ids. */
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
    // Where the first line is damaged, the others may be good.
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

/**
 * Returns the files of agents in a folder and in its subfolders; none if it is no folder or cannot be read.
 */
function list(folder: string, depth: number): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (agentName.test(name)) return [path];
    return depth > 0 && isFolder(path) ? list(path, depth - 1) : [];
  });
}

function firstRecord(path: string): JsonValue | undefined {
  return openSafely(path, (descriptor) => {
    const bytes = Buffer.alloc(firstLook);
    return partialJson(bytes.toString("utf8", 0, fill(descriptor, bytes)));
  });
}

/** Returns the content of the small file beside a sub-agent's log. */
function described(path: string): JsonValue | undefined {
  try {
    const bytes = readIfThere(path.replace(/\.jsonl$/, ".meta.json"));
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as JsonValue);
  } catch {
    return undefined;
  }
}
