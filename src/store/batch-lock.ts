// Opens and closes a batch: creates the folders that it needs, takes the lock that other processes see, and
// cleans up whatever happens.
import * as fs from "node:fs";
import { join } from "node:path";
import { asIoError, CtxError, withPath } from "../base/errors.js";
import { makeFolder } from "../base/fs/files.js";
import { makeOneFolder } from "../base/fs/owner-mode.js";
import { Batch } from "./batch.js";
import { folders } from "./layout.js";
import { clearLeftovers, type Lock, type LockKind, takeLock } from "./lock.js";
import { isPrivate, modesOf } from "./modes.js";
import { userName } from "./owner.js";
import type { Store } from "./store.js";

export type { Batch } from "./batch.js";
export type { Added, AddedPack } from "./commit-result.js";

export interface BatchOptions {
  /** False if nothing has to outlive the process. */
  flushes?: boolean;
}

/** A store, or one that is being made and has no config.json yet. */
export type BatchStore = Pick<Store, "root" | "onWait" | "assertExists">;

/** Runs `work` with a batch, and leaves nothing behind in tmp/ or locks/ whether it succeeds or fails. */
export function withBatch<T>(
  store: BatchStore,
  kind: LockKind,
  work: (batch: Batch) => T,
  options: BatchOptions = {},
): T {
  const { batch, close } = openBatch(store, kind, options);
  try {
    return work(batch);
  } catch (error) {
    throw explainFailure(batch, error);
  } finally {
    close();
  }
}

/** Opens a batch, which the caller must close. */
export function openBatch(
  store: BatchStore,
  kind: LockKind,
  { flushes = true }: BatchOptions = {},
): { batch: Batch; close: () => void } {
  const { root, onWait } = store;
  try {
    store.assertExists();
    refuseOthersPrivate(root);
    const { folder: mode } = modesOf(root);
    for (const name of folders) makeFolder(join(root, name), mode);
    clearLeftovers(root);
    const lock = takeLock(root, kind, { onWait });
    const folder = join(root, "tmp", lock.id);
    const close = (): void => end(lock, folder);
    try {
      // Another process may have upgraded or removed the store while this one waited.
      store.assertExists();
      withPath(folder, "create", () => makeOneFolder(folder, mode));
      // From now on, a process that takes over the lock also removes this folder.
      lock.check();
      return { batch: new Batch(root, lock, { folder, flushes }), close };
    } catch (error) {
      close();
      throw error;
    }
  } catch (error) {
    throw asIoError(error);
  }
}

/**
 * Throws if the store is another user's private one. Only root can write there, with sudo or in a container,
 * and the new files and folders would belong to root: the owner could neither read them nor add to them.
 */
export function refuseOthersPrivate(root: string): void {
  const stat = fs.lstatSync(root);
  if (process.geteuid === undefined || stat.uid === process.geteuid() || !isPrivate(stat)) return;
  const owner = userName(stat.uid);
  throw new CtxError(
    "store-unusable",
    `${root} is the private store of ${owner}, who could not read files that you write there`,
    {
      hint: `work as ${owner} (with sudo -u, or --user for a container), or make a store of your own with \`ctx init\` in another folder`,
      data: { path: root },
    },
  );
}

/**
 * Returns why work in a batch failed: a lost lock, whose holder lost its folder in tmp/ as well, or the error
 * that was thrown.
 */
export function explainFailure(batch: Batch, thrown: unknown): unknown {
  const error = asIoError(thrown);
  if (!(error instanceof CtxError) || error.code !== "io") return error;
  try {
    batch.check();
    return error;
  } catch (lost) {
    return lost instanceof CtxError && lost.code === "store-busy" ? lost : error;
  }
}

function end(lock: Lock, folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true });
    lock.release();
  } catch {
    // The next writer clears the remains; the outcome of the work stands.
  }
}
