// `ctx gc`: removes unreachable objects and old downloads. It holds the store exclusively meanwhile, so no
// pack can be half written.
import * as fs from "node:fs";
import { join } from "node:path";
import { isHash, type Reference, toReference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import { listIfThere } from "../base/fs/files.js";
import type { GcResult } from "../results/results.js";
import { oldDownloads } from "../registry/downloads-folder.js";
import { forgetGonePacks } from "../search/indexed-packs.js";
import { withBatch } from "../store/batch-lock.js";
import { FolderClock } from "../base/fs/folder-clock.js";
import { keptObjects } from "../store/reach.js";
import { removeFiles } from "../store/remove.js";
import type { Store } from "../store/store.js";

export interface GcOptions {
  /** Minimum age of an object to be removed, in milliseconds. */
  grace?: number;
  /** Only report what would be removed. */
  dryRun?: boolean;
}

/** Default minimum age: two weeks, as in git. */
export const usualGrace = 14 * 86_400_000;

export function gc(store: Store, options: GcOptions = {}): GcResult {
  const grace = options.grace ?? usualGrace;
  try {
    // Use the file system's clock, which set the times of the objects.
    const clock = new FolderClock(join(store.root, "locks"));
    if (options.dryRun === true) return { ...sort(store, clock.now() - grace), dry_run: true };
    const done = withBatch(store, "sweep", (batch) => {
      const before = clock.now() - grace;
      const result = sort(store, before, () => batch.refresh());
      const objects = result.removed.map(({ hash }) => pathOf(store, hash.slice("sha256:".length)));
      removeFiles(batch, objects);
      const downloads = oldDownloads(store.root, before);
      removeFiles(
        batch,
        downloads.map(({ path }) => path),
      );
      return { ...result, dry_run: false };
    });
    forgetGonePacks(store);
    return done;
  } catch (error) {
    throw asIoError(error);
  }
}

function pathOf({ root }: Store, hex: string): string {
  return join(root, "objects", hex.slice(0, 2), hex.slice(2));
}

/**
 * Sorts unreachable objects: those last changed at or before `before` are to be removed, the others are too
 * young.
 */
function sort(store: Store, before: number, onProgress?: () => void): Omit<GcResult, "dry_run"> {
  const { objects: kept, newer } = keptObjects(store, new Set(), onProgress);
  const removed: { hash: Reference; size: number }[] = [];
  const young = { objects: 0, bytes: 0 };
  for (const hex of newer > 0 ? [] : objectsOf(store)) {
    onProgress?.();
    if (kept.has(hex)) continue;
    const stat = fs.lstatSync(pathOf(store, hex), { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) continue;
    if (Math.floor(stat.mtimeMs) > before) {
      young.objects++;
      young.bytes += stat.size;
    } else removed.push({ hash: toReference(hex), size: stat.size });
  }
  const left = oldDownloads(store.root, before);
  return {
    removed,
    bytes: removed.reduce((sum, { size }) => sum + size, 0),
    young,
    downloads: { files: left.length, bytes: left.reduce((sum, { size }) => sum + size, 0) },
    ...(newer > 0 ? { newer } : {}),
  };
}

function objectsOf({ root }: Store): string[] {
  const folder = join(root, "objects");
  const shelves = listIfThere(folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
  return shelves
    .flatMap((shelf) => {
      // A link would lead to files outside the store.
      if (!fs.lstatSync(join(folder, shelf)).isDirectory())
        throw new CtxError("store-unusable", `${join(folder, shelf)} is not a folder`);
      return listIfThere(join(folder, shelf)).map((name) => shelf + name);
    })
    .filter(isHash)
    .sort();
}
