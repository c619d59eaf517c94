// Sorts what spans describe by time.
import { compareTimes, knownTime, type Time } from "../../../model/times.js";

/** Sorts by time. Stable: an element without a time stays behind the one before it. */
export function inTimeOrder<T>(items: readonly T[], timeOf: (item: T) => string | undefined): T[] {
  let last: Time | undefined;
  const dated = items.map((item) => {
    const time = timeOf(item);
    if (time !== undefined) last = knownTime(time);
    return { item, time: last };
  });
  return dated.sort((a, b) => compare(a.time, b.time)).map(({ item }) => item);
}

function compare(a: Time | undefined, b: Time | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  return compareTimes(a, b);
}
