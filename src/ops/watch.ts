// `ctx pack --watch`: seals the logs that appear in a folder, for programs that cannot afford to start ctx
// for each log.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { entriesIn } from "../base/fs/files.js";
import type { PackResult } from "../results/results.js";
import { Group } from "../store/commit-group.js";
import { storeName } from "../store/layout.js";
import type { Store } from "../store/store.js";
import { packAllLater, type PackAllOptions } from "./pack-all.js";

export interface WatchOptions extends PackAllOptions {
  /** Stops watching. Logs that are complete by then are sealed. */
  signal: AbortSignal;
  /** Called with the packs of each log, once they are durable. */
  packed: (results: PackResult[], path: string) => void;
  /** Called with the error of a log that could not be sealed. It is tried again when it changes. */
  failed: (error: CtxError, path: string) => void;
  /** How long a log must be unchanged before it counts as complete, in milliseconds. */
  quiet?: number;
}

/** Interval at which the folder is listed even without a notification from the system, in milliseconds. */
const often = 1000;

/** Seals the logs that are in a folder and those that appear there, until the signal is aborted. */
export async function watch(store: Store, folder: string, options: WatchOptions): Promise<void> {
  const { signal, quiet = 1000 } = options;
  withPath(folder, "list", () => fs.readdirSync(folder));
  const logs = new Logs(folder, quiet);
  const alarm = alarmOn(folder);
  try {
    for (;;) {
      const { ready, isUnsettled } = logs.look();
      sealAll(store, ready, options);
      if (signal.aborted) return;
      await alarm.wait(isUnsettled ? Math.max(quiet / 4, 20) : often, signal);
    }
  } finally {
    alarm.close();
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
    if (name.startsWith(".") || name === storeName || name.endsWith(".ctx.json")) continue;
    const path = join(folder, name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) {
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (stat !== undefined) yield { path, stat };
    }
  }
}

function sealAll(store: Store, paths: readonly string[], options: WatchOptions): void {
  if (paths.length === 0) return;
  const group = new Group(store);
  try {
    const waiting = paths.map((path) => ({
      path,
      later: packAllLater(store, { file: path }, { ...options, group }),
    }));
    for (const { path, later } of waiting) {
      try {
        options.packed(later(), path);
      } catch (error) {
        if (!(error instanceof CtxError)) throw error;
        options.failed(error, path);
      }
    }
  } finally {
    group.close();
  }
}

/** Wakes up when something in a folder changes, if the system can report that. */
function alarmOn(folder: string): { wait(most: number, signal: AbortSignal): Promise<void>; close(): void } {
  let ring: (() => void) | undefined;
  let watcher: fs.FSWatcher | undefined;
  try {
    watcher = fs.watch(folder, { persistent: false }, () => ring?.());
    watcher.on("error", () => undefined);
  } catch (error) {
    // No more watchers are available: listing at intervals has to suffice.
    if (errnoOf(error) === undefined) throw error;
  }
  return {
    async wait(most, signal) {
      const rung = new Promise<void>((resolve) => (ring = resolve));
      const over = new AbortController();
      const end = (): void => over.abort();
      signal.addEventListener("abort", end, { once: true });
      await Promise.race([rung, pause(most, undefined, { signal: over.signal }).catch(() => undefined)]);
      signal.removeEventListener("abort", end);
      over.abort();
    },
    close: () => watcher?.close(),
  };
}
