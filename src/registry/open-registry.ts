// Shared by every verb that talks to a registry: the host, the credentials, and a clean end whatever happens.
import { asIoError } from "../base/errors.js";
import type { Wallet } from "./credentials.js";
import { connections } from "./http.js";
import { linked, type Parallel } from "./parallel.js";
import { Registry } from "./registry.js";
import type { UserPaths } from "../store/config.js";
import type { RemoteTarget } from "./remotes.js";

export interface RemoteOptions {
  /** Where the user's passwords are. */
  wallet: Wallet;
  /** Where the user's own settings are, which define the names of remotes. */
  user?: UserPaths | undefined;
  /** Use plain HTTP, though the host is not this machine. */
  plainHttp?: boolean;
  signal?: AbortSignal;
  /** Called with the reason for a retry, if the wait is noticeable. */
  waiting?: (why: string) => void;
  /** Called with the bytes done so far, and the bytes known to be needed. */
  progress?: (done: number, of: number) => void;
}

/** Runs `work` with a registry. Requests that are still running when it ends are aborted. */
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
