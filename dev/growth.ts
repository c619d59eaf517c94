// Whether the time of a task is proportional to the size of its input. Processor time is compared with
// processor time, so that a busy machine changes nothing.

/**
 * Four times the size takes some 4 times as long where time grows in proportion, and 16 times where it grows
 * with its square.
 */
export const inProportion = 9;

/** Less processor time than this, in microseconds, proves nothing. */
const noise = 100_000;

/**
 * By how much the processor time grows when the size is four times as large: the least of several tries.
 * `prepare` returns the work.
 */
export function growthOf(prepare: (size: number) => () => unknown, size: number): number {
  const [small, large] = [prepare(size), prepare(4 * size)];
  let least = Infinity;
  for (let tries = 0; tries < 5 && least >= inProportion; tries++) {
    const [before, after] = [spentIn(small), spentIn(large)];
    if (after < noise) return 1;
    least = Math.min(least, after / before);
  }
  return least;
}

function spentIn(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
