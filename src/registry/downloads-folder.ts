// Where downloads lie that are not yet whole. They outlive the process, so that the next try can go on with them.
import * as fs from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../base/errors.js";
import { listIfThere, makeFolder } from "../base/fs/files.js";
import { isOwnerRunning } from "../store/lock.js";
import { modesOf } from "../store/modes.js";
import { refuseOthersPrivate } from "../store/batch-lock.js";

/** The folder for what is not yet whole. A cache, because it can be fetched again. */
export function downloadsFolder(root: string): string {
  refuseOthersPrivate(root);
  const cache = join(root, "cache");
  // A link here, as a clone could bring one, would lead the writing to somebody else's files.
  const { folder: mode } = modesOf(root);
  for (const folder of [cache, join(cache, "downloads")]) makeFolder(folder, mode);
  return join(cache, "downloads");
}

/** What downloads left that were never finished, and are older than this moment. */
export function oldDownloads(root: string, before: number): { path: string; size: number }[] {
  const folder = join(root, "cache", "downloads");
  // Nor would links lead to anybody's files here.
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

/** Whether this is a folder that may be listed. One that root made in a user's cache may not, and costs only its room. */
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
