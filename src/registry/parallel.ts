// Runs a few tasks at a time. The first failure aborts the others.

export interface Parallel {
  /** The most tasks at a time. */
  most: number;
  /** Aborts the work, after the first failure or from outside. */
  controller: AbortController;
}

/** Calls `work` for each item. Throws the first error, once no task is running any more. */
export async function inParallel<T>(
  items: readonly T[],
  { most, controller }: Parallel,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items].reverse();
  let failure: { error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (queue.length > 0 && !controller.signal.aborted) {
      try {
        await work(queue.pop() as T);
      } catch (error) {
        failure ??= { error };
        controller.abort(failure.error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
  controller.signal.throwIfAborted();
}

/** Returns a controller that also aborts when `signal` does. */
export function linked(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  if (signal?.aborted === true) controller.abort(signal.reason);
  else signal?.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  return controller;
}
