// Recognises what a killed process left behind: such files and folders have the id of their process in their
// name.
import * as fs from "node:fs";
import { errnoOf } from "../errors.js";
import { isOwnerId, isOwnerRunning } from "../owner-id.js";
import { FolderClock } from "./folder-clock.js";

export interface LeftoverOptions {
  /**
   * Counts also files of another machine, or of the time before a reboot, that were not written to for a day.
   * Their processes cannot be checked. Returns a name that `pattern` matches, for the file by which the file
   * system's clock is read.
   */
  clockName?: (id: string) => string;
}

const day = 24 * 60 * 60_000;

/**
 * Returns the names in a folder that belong to processes which have ended; none if the folder cannot be
 * listed, because leftovers do no harm. The first group of `pattern` is the id of the process.
 */
export function leftoversIn(folder: string, pattern: RegExp, { clockName }: LeftoverOptions = {}): string[] {
  const clock = clockName === undefined ? undefined : new FolderClock(folder, clockName);
  try {
    return fs.readdirSync(folder).filter((name) => {
      const owner = pattern.exec(name)?.[1];
      if (owner === undefined || !isOwnerId(owner)) return false;
      return !(isOwnerRunning(owner) ?? !isOld(`${folder}/${name}`, clock));
    });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

function isOld(path: string, clock: FolderClock | undefined): boolean {
  if (clock === undefined) return false;
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && clock.now() - stat.mtimeMs > day;
}
