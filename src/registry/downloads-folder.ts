// The folder of partial downloads. They outlive the process, so that the next try can resume them.
import * as fs from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../base/errors.js";
import { listIfThere, makeFolder } from "../base/fs/files.js";
import { isOwnerRunning } from "../base/owner-id.js";
import { modesOf } from "../store/modes.js";
import { refuseOthersPrivate } from "../store/batch-lock.js";

/**
 * Returns the folder for partial downloads, and creates it. It is in the cache, because they can be
 * downloaded again.
 */
export function downloadsFolder(root: string): string {
  refuseOthersPrivate(root);
  const cache = join(root, "cache");
  // A symbolic link here, which a clone could bring, would make ctx write into files outside the store.
  const { folder: mode } = modesOf(root);
  for (const folder of [cache, join(cache, "downloads")]) makeFolder(folder, mode);
  return join(cache, "downloads");
}

/** Returns the partial downloads that no running process owns and that are older than `before`. */
export function oldDownloads(root: string, before: number): { path: string; size: number }[] {
  const folder = join(root, "cache", "downloads");
  // Symbolic links would lead out of the store here, too.
  const isOurs = [join(root, "cache"), folder].every(isUsableFolder);
  if (!isOurs) return [];
  return listIfThere(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    const isOld = stat !== undefined && Math.floor(stat.mtimeMs) <= before;
    const owner = /^[0-9a-f]{64}\.(.+)$/.exec(name)?.[1];
    return owner !== undefined && isOld && isOwnerRunning(owner) !== true ? { path, size: stat.size } : [];
  });
}

/**
 * Returns whether this is a folder that may be listed. One that root made in a user's cache may not be, and
 * costs only disk space.
 */
function isUsableFolder(path: string): boolean {
  try {
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
    fs.accessSync(path, fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
