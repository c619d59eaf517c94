// Trying again: after a cut connection, an answer that says "later", or a server that is not well. With pauses that grow.
import { setTimeout as pause } from "node:timers/promises";

export interface RetryOptions {
  signal?: AbortSignal | undefined;
  /** How often at most, after the first time. */
  most?: number;
  /** Told why it is tried again, when that takes a while. */
  waiting?: ((why: unknown) => void) | undefined;
}

/** What one try gave: the answer, or that it is worth another one, after so many milliseconds if the other side says so. */
export type Tried<T> = { done: T } | { again: unknown; after?: number | undefined; progress?: boolean };

const usually = 6;
/** Nobody waits longer than this for a server that asks for it. */
const longest = 120_000;

/** A shorter wait nobody needs to hear of, in milliseconds. */
const noticed = 1000;

/** Does `attempt` until it gives an answer, or fails too often without getting any further. */
export async function retrying<T>(attempt: () => Promise<Tried<T>>, options: RetryOptions = {}): Promise<T> {
  const { signal, most = usually, waiting } = options;
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const tried = await attempt();
    if ("done" in tried) return tried.done;
    failures = tried.progress === true ? 1 : failures + 1;
    const own = Math.min(100 * 2 ** failures, 10_000) * (0.5 + Math.random() / 2);
    // Several wait for the same answer: they must not all come back in the same moment, nor at once.
    const wait = Math.max(own, (tried.after ?? 0) * (1 + Math.random() / 10));
    if (failures > most || (tried.after ?? 0) > longest) throw tried.again;
    if (wait >= noticed || failures > 2) waiting?.(tried.again);
    await pause(wait, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw signal?.reason ?? error;
    });
  }
}

/** What Retry-After says, in milliseconds. */
export function retryAfter(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  // A date begins with a day's name: what else is parsed as one was not meant so.
  const time = /^[A-Za-z]{3,9},? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
