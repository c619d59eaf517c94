// How old a lock is, and which owners count as dead. Ages are measured by the clock of the file system that
// holds the lock: this machine's clock may be wrong, or differ from the clock of the machine that made it.
import * as fs from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../base/errors.js";
import { isOwnerRunning, ownId } from "./lock-owner.js";

/** A lock of an owner elsewhere counts as dead if it was not touched for this long, in milliseconds. */
export const staleAfter = 30 * 60_000;
/** The same for locks that are held for a few milliseconds only. */
const noteStaleAfter = 60_000;
/**
 * The clock is read again after this long: a machine that was suspended does not count the time in between.
 */
const readAgainAfter = 5_000;

/** The clock of the file system that holds a folder; this machine's clock if no file can be created there. */
export class FolderClock {
  readonly #folder: string;
  #read: { time: number; at: number } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns milliseconds since 1970. */
  now(): number {
    const at = performance.now();
    if (this.#read === undefined || at - this.#read.at > readAgainAfter)
      this.#read = { time: timeOfNewFile(this.#folder) ?? Date.now(), at };
    return this.#read.time + (at - this.#read.at);
  }
}

function timeOfNewFile(folder: string): number | undefined {
  // Named like a lock: when this process is killed, the next one clears it away.
  const path = join(folder, `clock.${ownId()}`);
  try {
    const descriptor = fs.openSync(path, "wx", 0o600);
    try {
      return fs.fstatSync(descriptor).mtimeMs;
    } finally {
      fs.closeSync(descriptor);
      fs.unlinkSync(path);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

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
  const most = /^(?:note-|clock\.)/.test(name) ? noteStaleAfter : staleAfter;
  // A time far in the future is as wrong as one long ago: no owner of a lock got that time from this clock.
  return { state: Math.abs(age) < most ? "unknown" : "dead", age };
}

/** Returns the age of any lock, also of one whose owner runs here. */
export function lockAge(folder: string, name: string, clock: FolderClock): number | undefined {
  const stat = fs.lstatSync(join(folder, name), { throwIfNoEntry: false });
  return stat === undefined ? undefined : clock.now() - stat.mtimeMs;
}
