// `ctx pack --watch`: seals the logs that appear in a folder, for programs that cannot afford to start ctx
// for each log.
import type { CtxError } from "../base/errors.js";
import { watchFolder } from "../intake/discover/watch-folder.js";
import type { PackResult } from "../results/results.js";
import type { Store } from "../store/store.js";
import { packMany, type PackAllOptions } from "./pack.js";

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

/** Seals the logs that are in a folder and those that appear there, until the signal is aborted. */
export async function watch(store: Store, folder: string, options: WatchOptions): Promise<void> {
  const { signal, quiet, packed, failed } = options;
  const onComplete = (paths: readonly string[]): void => {
    const inputs = paths.map((file) => ({ file }));
    packMany(store, inputs, {
      ...options,
      onResult: (results, index) => packed(results, paths[index] as string),
      onError: (error, index) => failed(error, paths[index] as string),
    });
  };
  await watchFolder(folder, { signal, quiet, onComplete });
}
