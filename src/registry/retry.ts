// Retries after a cut connection, an answer that says "later", or a server error, with growing pauses.
import { setTimeout as pause } from "node:timers/promises";

export interface RetryOptions {
  signal?: AbortSignal | undefined;
  /** The most retries after the first try. */
  most?: number;
  /** Called with the reason for a retry, if the wait is noticeable. */
  waiting?: ((why: unknown) => void) | undefined;
}

/**
 * The result of one try: the answer, or that another try is worthwhile, after so many milliseconds if the
 * other side named a delay.
 */
export type Attempt<T> = { done: T } | { again: unknown; after?: number | undefined; progress?: boolean };

const defaultAttempts = 6;
/**
 * The longest delay that a server may ask for, in milliseconds: one that asks for more is not tried again.
 */
const longestDelay = 120_000;

/** Shorter waits are not reported, in milliseconds. */
const noticeableWait = 1000;

/** Calls `attempt` until it returns an answer, or fails too often without making progress. */
export async function retrying<T>(
  attempt: () => Promise<Attempt<T>>,
  options: RetryOptions = {},
): Promise<T> {
  const { signal, most = defaultAttempts, waiting } = options;
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const tried = await attempt();
    if ("done" in tried) return tried.done;
    failures = tried.progress === true ? 1 : failures + 1;
    const own = Math.min(100 * 2 ** failures, 10_000) * (0.5 + Math.random() / 2);
    // Several requests may wait for the same server: they must not all return at the same moment, nor
    // immediately.
    const wait = Math.max(own, (tried.after ?? 0) * (1 + Math.random() / 10));
    if (failures > most || (tried.after ?? 0) > longestDelay) throw tried.again;
    if (wait >= noticeableWait || failures > 2) waiting?.(tried.again);
    await pause(wait, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw signal?.reason ?? error;
    });
  }
}

/** Returns the delay of a Retry-After header, in milliseconds. */
export function retryAfter(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  // An HTTP date begins with the name of a day: anything else that Date.parse accepts was not meant as one.
  const time = /^[A-Za-z]{3,9},? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
