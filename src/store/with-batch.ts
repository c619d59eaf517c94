// Around a batch: the folders that it needs, the lock that others see, and a clean end whatever happens.
import * as fs from "node:fs";
import { join } from "node:path";
import { asIoError, withPath } from "../base/errors.js";
import { makeFolder } from "../base/files.js";
import { Batch } from "./batch.js";
import { folders } from "./layout.js";
import { clearLeftovers, type Lock, type LockKind, takeLock } from "./lock.js";

/** Runs `work` with a batch, and leaves nothing behind in tmp/ or locks/ whether it succeeds or fails. */
export function withBatch<T>(
  root: string,
  kind: LockKind,
  work: (batch: Batch) => T,
  { flushes = true }: { flushes?: boolean } = {},
): T {
  try {
    makeFolders(root);
    clearLeftovers(root);
    return withLock(root, takeLock(root, kind), (lock, aside) =>
      work(new Batch(root, lock, { aside, flushes })),
    );
  } catch (error) {
    throw asIoError(error);
  }
}

function withLock<T>(root: string, lock: Lock, work: (lock: Lock, aside: string) => T): T {
  const aside = join(root, "tmp", lock.id);
  try {
    withPath(aside, "create", () => fs.mkdirSync(aside));
    return work(lock, aside);
  } finally {
    try {
      fs.rmSync(aside, { recursive: true, force: true });
      lock.release();
    } catch {
      // The next writer clears what could not be removed; the outcome of the work stands.
    }
  }
}

/** Makes the folders that are missing; others may be doing the same. */
function makeFolders(root: string): void {
  for (const name of folders) makeFolder(join(root, name));
}
