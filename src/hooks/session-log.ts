// Finds the log of the session that an agent's hook was called for, and waits until it is complete.
import * as fs from "node:fs";
import { isAbsolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type JsonValue } from "../base/json/value.js";
import { findLogs, summarise } from "../intake/discover/find-logs.js";
import type { AgentPaths } from "../intake/discover/session-locations.js";

/** Parses the input that all three agents send; each field is a string. */
export function messageOf(said: string): { log?: string; session?: string; folder?: string } {
  let value: JsonValue;
  try {
    value = JSON.parse(said) as JsonValue;
  } catch {
    throw new Error("the input from the agent is not JSON");
  }
  if (!isObject(value)) return {};
  const { transcript_path: log, session_id: session, cwd: folder } = value;
  return {
    ...(typeof log === "string" && isAbsolute(log) ? { log } : {}),
    ...(typeof session === "string" && session !== "" ? { session } : {}),
    ...(typeof folder === "string" && isAbsolute(folder) ? { folder } : {}),
  };
}

/** Returns the log of a session; undefined if there is none. */
export function findLog(agent: string, session: string | undefined, where: AgentPaths): string | undefined {
  if (session === undefined) return undefined;
  const { logs } = findLogs(where, (each) => each === agent);
  return logs.find((log) => summarise(log).session === session)?.path;
}

/**
 * Waits until the agent has stopped writing the log, for about 3 seconds at most. Refuses a path that is not
 * a regular file, which could block this unseen process for ever.
 */
export async function waitUntilWritten(path: string): Promise<void> {
  const sizeNow = (): number => {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() === false) throw new Error(`cannot read the log ${path}: it is not a regular file`);
    return stat?.size ?? -1;
  };
  let size = sizeNow();
  for (let tries = 0; tries < 20; tries++) {
    await sleep(150);
    const now = sizeNow();
    if (now === size) return;
    size = now;
  }
}
