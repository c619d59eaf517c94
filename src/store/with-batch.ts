// Around a batch: the folders that it needs, the lock that others see, and a clean end whatever happens.
import * as fs from "node:fs";
import { join } from "node:path";
import { asIoError, withPath } from "../base/errors.js";
import { makeFolder } from "../base/files.js";
import { Batch } from "./batch.js";
import { folders } from "./layout.js";
import { clearLeftovers, type Lock, type LockKind, takeLock } from "./lock.js";
import { modesOf } from "./modes.js";

export interface BatchOptions {
  /** False where nothing has to outlive the process. */
  flushes?: boolean;
}

/** Runs `work` with a batch, and leaves nothing behind in tmp/ or locks/ whether it succeeds or fails. */
export function withBatch<T>(
  root: string,
  kind: LockKind,
  work: (batch: Batch) => T,
  options: BatchOptions = {},
): T {
  const { batch, close } = openBatch(root, kind, options);
  try {
    return work(batch);
  } catch (error) {
    throw asIoError(error);
  } finally {
    close();
  }
}

/** A batch to be closed by whoever opened it. */
export function openBatch(
  root: string,
  kind: LockKind,
  { flushes = true }: BatchOptions = {},
): { batch: Batch; close: () => void } {
  try {
    const { folder: mode } = modesOf(root);
    for (const name of folders) makeFolder(join(root, name), mode);
    clearLeftovers(root);
    const lock = takeLock(root, kind);
    const aside = join(root, "tmp", lock.id);
    const close = (): void => end(lock, aside);
    try {
      withPath(aside, "create", () => fs.mkdirSync(aside, mode));
      return { batch: new Batch(root, lock, { aside, flushes }), close };
    } catch (error) {
      close();
      throw error;
    }
  } catch (error) {
    throw asIoError(error);
  }
}

function end(lock: Lock, aside: string): void {
  try {
    fs.rmSync(aside, { recursive: true, force: true });
    lock.release();
  } catch {
    // The next writer clears what could not be removed; the outcome of the work stands.
  }
}
