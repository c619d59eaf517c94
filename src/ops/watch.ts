// `ctx pack --watch`: seals the logs that appear in a folder, for programs that cannot afford to start ctx for each of them.
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
  /** Ends the watching. What is whole by then is sealed. */
  signal: AbortSignal;
  /** Told what became of each log, once that is durable. */
  packed: (results: PackResult[], path: string) => void;
  /** Told why one could not be sealed. It is tried again when it changes. */
  failed: (error: CtxError, path: string) => void;
  /** How long nobody may have written to a log before it counts as whole, in milliseconds. */
  quiet?: number;
}

/** How often the folder is looked through, even if the system tells of nothing, in milliseconds. */
const often = 1000;

/** Seals what is in a folder and what appears there, until it is ended. */
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

/** What lies in a folder, and how long it has been as it is. */
class Logs {
  readonly #folder: string;
  readonly #quiet: number;
  #seen = new Map<string, Seen>();

  constructor(folder: string, quiet: number) {
    this.#folder = folder;
    this.#quiet = quiet;
  }

  /** The logs that are whole now and were not sealed as they are. */
  look(): { ready: string[]; isUnsettled: boolean } {
    // The machine's clock may be set while this waits; this one only goes forward.
    const now = performance.now();
    const seen = new Map<string, Seen>();
    const ready: string[] = [];
    for (const { path, stat } of filesIn(this.#folder)) {
      const signature = `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
      const known = this.#seen.get(path);
      // What was moved here was written before, and has been left alone since then.
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

/** Every file below a folder that could be a log, in the order of their names. Nothing hidden, no link, no sidecar, no store. */
function* filesIn(folder: string): Generator<{ path: string; stat: fs.Stats }> {
  let entries: fs.Dirent[];
  try {
    entries = entriesIn(folder);
  } catch (error) {
    // It may have been removed meanwhile, or be nobody's business.
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

/** Rings when something in a folder changes, where the system can tell. */
function alarmOn(folder: string): { wait(most: number, signal: AbortSignal): Promise<void>; close(): void } {
  let ring: (() => void) | undefined;
  let watcher: fs.FSWatcher | undefined;
  try {
    watcher = fs.watch(folder, { persistent: false }, () => ring?.());
    watcher.on("error", () => undefined);
  } catch (error) {
    // There are no more of them to be had: looking now and then has to do.
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
