// What `ctx doctor` reports about locks: their owners, whether these can still be running, and what to do.
import { join } from "node:path";
import type { DoctorCheck } from "../results/results.js";
import { FolderClock } from "../base/fs/folder-clock.js";
import { adviceFor, describeLock, listLocks, type LockInfo } from "../store/lock-text.js";

/** Maximum number of locks shown; further ones are only counted. */
const maxShown = 20;

/** Returns a check for each lock in these folders: a store, the user's state. */
export function lockChecks(folders: readonly string[]): DoctorCheck[] {
  const locks = folders.flatMap((folder) => listLocks(folder, new FolderClock(join(folder, "locks"))));
  const checks = locks.slice(0, maxShown).map(check);
  const more = locks.length - checks.length;
  if (more > 0) checks.push({ name: "lock", status: "ok", found: `and ${more} more` });
  return checks;
}

function check(lock: LockInfo): DoctorCheck {
  const { state, kind, pid, host } = lock;
  const owner = host === "" ? "something unknown" : `process ${pid} on ${host}`;
  return {
    name: "lock",
    // Only a lock that is neither certainly held nor certainly dead can make commands wait in vain.
    status: state === "unknown" ? "lacks" : "ok",
    found: `${state}: ${kind} by ${owner}`,
    advice: `${describeLock(lock)}; ${adviceFor(lock)}`,
  };
}
