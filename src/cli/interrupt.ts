// A clean end at Ctrl-C, for the commands that run for long.
import { CtxError } from "../base/errors.js";

/** Runs work that goes on until Ctrl-C, which is its regular end. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await interruptible(work, ["SIGINT"]);
}

/**
 * Runs work that Ctrl-C aborts: the work ends its programs and removes its workspace, then this process ends
 * by the same signal, unless that is a regular end. While a question waits for its answer (`unguarded`)
 * nothing has begun yet, and a signal ends the process at once.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal, unguarded: <U>(ask: () => U) => U) => Promise<T>,
  regular: readonly NodeJS.Signals[] = [],
): Promise<T> {
  const controller = new AbortController();
  let caught: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    caught ??= signal;
    controller.abort(new CtxError("interrupted", `stopped by ${signal}`));
  };
  const guard = (): void => signals.forEach((signal) => process.on(signal, stop));
  const release = (): void => signals.forEach((signal) => process.off(signal, stop));
  guard();
  try {
    return await work(controller.signal, (ask) => {
      release();
      try {
        return ask();
      } finally {
        guard();
      }
    });
  } finally {
    release();
    if (caught !== undefined && !regular.includes(caught)) process.kill(process.pid, caught);
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
