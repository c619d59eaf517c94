// A few things at once. The first failure ends the others.

export interface Parallel {
  /** How many at a time. */
  most: number;
  /** Ends the work, by the first failure or from outside. */
  controller: AbortController;
}

/** Does `work` on each item. It throws what went wrong first, once nothing is under way any more. */
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

/** A controller that also ends when `signal` does. */
export function linked(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  if (signal?.aborted === true) controller.abort(signal.reason);
  else signal?.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  return controller;
}
