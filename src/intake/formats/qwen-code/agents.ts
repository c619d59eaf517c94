// Finds the logs of the sub-agents of a session: in a folder named for it beside that of the sessions, each with a
// small file that names the call that started it.
import { dirname, join, parse } from "node:path";
import { readIfThere } from "../../../base/fs/files.js";
import type { JsonValue } from "../../../base/json/value.js";
import { wordAt } from "../../json-access.js";
import { namesIn } from "../../sibling-files.js";

export interface QwenAgentFile {
  path: string;
  agent: string;
  /** The call that started it, and the sub-agent that made that call, if it was one. */
  call: string | undefined;
  parent: string | undefined;
}

/** Returns the logs of the sub-agents of the session in a file. */
export function agentFilesOf(session: string): QwenAgentFile[] {
  const { name: id } = parse(session);
  if (!/^[\w-]{1,200}$/.test(id)) return [];
  const folder = join(dirname(session), "../subagents", id);
  return namesIn(folder).flatMap((name) => {
    const agent = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
    if (agent === undefined) return [];
    const path = join(folder, name);
    const about = described(path);
    return [{ path, agent, call: wordAt(about, "toolUseId"), parent: wordAt(about, "parentAgentId") }];
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
