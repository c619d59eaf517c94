// What every verb that talks to a registry has in common: whom to ask, as whom, and a clean end whatever happens.
import { asIoError } from "../base/errors.js";
import type { Wallet } from "./credentials.js";
import { connections } from "./http.js";
import { linked, type Parallel } from "./parallel.js";
import { Registry } from "./registry.js";
import type { UserPlace } from "../store/config.js";
import type { RemoteTarget } from "./remotes.js";

export interface RemoteOptions {
  /** Where passwords are found. */
  wallet: Wallet;
  /** Where the user's own settings are: remotes have names there. */
  user?: UserPlace | undefined;
  /** Plain HTTP is wanted, though the host is not this machine. */
  plainHttp?: boolean;
  signal?: AbortSignal;
  /** Told why something is tried again, when that takes a while. */
  waiting?: (why: string) => void;
  /** Bytes that are done, of those that are known to be wanted. */
  progress?: (done: number, of: number) => void;
}

/** Runs `work` with a registry. Whatever is under way when it ends is ended. */
export async function withRegistry<T>(
  { address, plainHttp }: RemoteTarget,
  options: RemoteOptions,
  work: (registry: Registry, parallel: Parallel) => Promise<T>,
): Promise<T> {
  const controller = linked(options.signal);
  const registry = new Registry(address, {
    wallet: options.wallet,
    plainHttp: plainHttp || options.plainHttp === true,
    signal: controller.signal,
    waiting: options.waiting,
  });
  try {
    return await work(registry, { most: connections, controller });
  } catch (error) {
    throw asIoError(error);
  } finally {
    controller.abort();
    registry.close();
  }
}
