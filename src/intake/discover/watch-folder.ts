// Finds the logs that appear in a folder, as soon as they are complete.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { errnoOf, withPath } from "../../base/errors.js";
import { entriesIn } from "../../base/fs/files.js";

export interface WatchFolderOptions {
  /** Stops watching, after the logs that are complete by then. */
  signal: AbortSignal;
  /** How long a log must be unchanged before it counts as complete, in milliseconds. Default: 1000. */
  quiet?: number | undefined;
  /** Called with the paths of logs that are complete, once for each state of a log. */
  onComplete: (paths: readonly string[]) => void;
}

/** Interval at which the folder is listed even without a notification from the system, in milliseconds. */
const pollInterval = 1000;

/** Finds the logs that are in a folder and those that appear there, until the signal is aborted. */
export async function watchFolder(folder: string, options: WatchFolderOptions): Promise<void> {
  const { signal, quiet = 1000, onComplete } = options;
  withPath(folder, "list", () => fs.readdirSync(folder));
  const logs = new Logs(folder, quiet);
  const changes = watchChanges(folder);
  try {
    for (;;) {
      const { ready, isUnsettled } = logs.look();
      if (ready.length > 0) onComplete(ready);
      if (signal.aborted) return;
      await changes.wait(isUnsettled ? Math.max(quiet / 4, 20) : pollInterval, signal);
    }
  } finally {
    changes.close();
  }
}

interface Seen {
  signature: string;
  since: number;
  isDone: boolean;
}

/** The files in a folder, and since when each is unchanged. */
class Logs {
  readonly #folder: string;
  readonly #quiet: number;
  #seen = new Map<string, Seen>();

  constructor(folder: string, quiet: number) {
    this.#folder = folder;
    this.#quiet = quiet;
  }

  /** Returns the logs that are complete now and were not yet sealed in this state. */
  look(): { ready: string[]; isUnsettled: boolean } {
    // A monotonic clock: the system's clock may be changed while this waits.
    const now = performance.now();
    const seen = new Map<string, Seen>();
    const ready: string[] = [];
    for (const { path, stat } of filesIn(this.#folder)) {
      const signature = `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
      const known = this.#seen.get(path);
      // A file that was moved here was written earlier: count from its modification time.
      const one: Seen =
        known?.signature === signature
          ? known
          : { signature, since: now - Math.max(Date.now() - stat.mtimeMs, 0), isDone: false };
      if (!one.isDone && now - one.since >= this.#quiet) {
        one.isDone = true;
        ready.push(path);
      }
      seen.set(path, one);
    }
    this.#seen = seen;
    return { ready, isUnsettled: [...seen.values()].some(({ isDone }) => !isDone) };
  }
}

/**
 * Yields every file below a folder that could be a log, in the order of names. Skips hidden files, links,
 * sidecars and stores.
 */
function* filesIn(folder: string): Generator<{ path: string; stat: fs.Stats }> {
  let entries: fs.Dirent[];
  try {
    entries = entriesIn(folder);
  } catch (error) {
    // The folder may have been removed meanwhile, or may be unreadable.
    if (errnoOf(error) === undefined) throw error;
    return;
  }
  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith(".") || name.endsWith(".ctx.json")) continue;
    const path = join(folder, name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) {
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (stat !== undefined) yield { path, stat };
    }
  }
}

/** Wakes up when something in a folder changes, if the system can report that. */
function watchChanges(folder: string): {
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): void;
} {
  let onChange: (() => void) | undefined;
  let watcher: fs.FSWatcher | undefined;
  try {
    watcher = fs.watch(folder, { persistent: false }, () => onChange?.());
    watcher.on("error", () => undefined);
  } catch (error) {
    // No more watchers are available: listing at intervals has to suffice.
    if (errnoOf(error) === undefined) throw error;
  }
  return {
    async wait(milliseconds, signal) {
      const changed = new Promise<void>((resolve) => (onChange = resolve));
      const over = new AbortController();
      const end = (): void => over.abort();
      signal.addEventListener("abort", end, { once: true });
      await Promise.race([
        changed,
        pause(milliseconds, undefined, { signal: over.signal }).catch(() => undefined),
      ]);
      signal.removeEventListener("abort", end);
      over.abort();
    },
    close: () => watcher?.close(),
  };
}
