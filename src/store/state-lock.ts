// Work on the user's own state, or on notes in a store, that two processes must not do at once. It takes the
// same lock as everything else: see lock.ts.
import { dirname, join } from "node:path";
import { asIoError, CtxError } from "../base/errors.js";
import { makeFolder } from "../base/fs/files.js";
import { flushFolder } from "../base/fs/flush.js";
import { makeFolders } from "../base/fs/make-folders.js";
import { clearDeadLocks, type Lock, type LockKind, type LockOptions, takeLock } from "./lock.js";
import { modesOf } from "./modes.js";

/**
 * For work that other processes do in the background, too, and that none of them does for long. In
 * milliseconds.
 */
const usualPatience = 30_000;

/**
 * Runs `work` while no other process does work of this kind in this folder. Throws `store-busy` if others do
 * not finish in time. If no lock can be made, because the folder is missing or read-only, it runs without
 * one.
 */
export function withLock<T>(
  folder: string,
  kind: LockKind,
  work: (lock: Lock | undefined) => T,
  options: LockOptions = {},
): T {
  const lock = lockIfPossible(folder, kind, { timeout: usualPatience, ...options });
  try {
    return work(lock);
  } finally {
    lock?.release();
  }
}

/**
 * Does the same in the folder for the user's state, which is created if it is missing, and durably, because
 * some of the work leaves notes there that must outlive a power cut.
 */
export function withStateLock<T>(
  state: string,
  kind: LockKind,
  work: (lock: Lock | undefined) => T,
  options: LockOptions = {},
): T {
  let made: string[] = [];
  try {
    made = makeFolders(state, 0o700);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
  }
  for (const folder of made) flushFolder(dirname(folder));
  return withLock(state, kind, work, options);
}

function lockIfPossible(folder: string, kind: LockKind, options: LockOptions): Lock | undefined {
  try {
    makeFolder(join(folder, "locks"), modesOf(folder).folder);
    clearDeadLocks(folder);
    return takeLock(folder, kind, options);
  } catch (thrown) {
    const error = asIoError(thrown);
    if (error instanceof CtxError && error.code === "io") return undefined;
    throw error;
  }
}
