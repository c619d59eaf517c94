// How old a lock is, and which owners count as dead. Ages are measured by the clock of the file system that
// holds the lock: this machine's clock may be wrong, or differ from the clock of the machine that made it.
import * as fs from "node:fs";
import { join } from "node:path";
import type { FolderClock } from "../base/fs/folder-clock.js";
import { isOwnerRunning } from "../base/owner-id.js";

/** A lock of an owner elsewhere counts as dead if it was not touched for this long, in milliseconds. */
export const staleAfter = 30 * 60_000;
/** The same for locks that are held for a few milliseconds only. */
const noteStaleAfter = 60_000;

export type LockState = "alive" | "dead" | "unknown";

export interface LockAge {
  /** `unknown`: the owner runs elsewhere, and its lock is young enough to count. */
  state: LockState;
  /**
   * Milliseconds since the last sign of life; negative for a time in the future. Undefined if the owner could
   * be checked directly, or the lock is gone.
   */
  age?: number;
}

/** Decides whether the owner of a lock still counts. `clock` is that of the folder which holds it. */
export function judgeLock(folder: string, name: string, clock: FolderClock): LockAge {
  const dot = name.indexOf(".");
  const running = isOwnerRunning(name.slice(dot + 1));
  if (running !== undefined) return { state: running ? "alive" : "dead" };
  const stat = fs.lstatSync(join(folder, name), { throwIfNoEntry: false });
  if (stat === undefined) return { state: "dead" };
  const age = clock.now() - stat.mtimeMs;
  const limit = /^(?:note-|clock\.)/.test(name) ? noteStaleAfter : staleAfter;
  // A time far in the future is as wrong as one long ago: no owner of a lock got that time from this clock.
  return { state: Math.abs(age) < limit ? "unknown" : "dead", age };
}

/** Returns the age of any lock, also of one whose owner runs here. */
export function lockAge(folder: string, name: string, clock: FolderClock): number | undefined {
  const stat = fs.lstatSync(join(folder, name), { throwIfNoEntry: false });
  return stat === undefined ? undefined : clock.now() - stat.mtimeMs;
}
