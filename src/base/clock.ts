// The clock for waits and ages: it never jumps. `performance.now()` reads the same clock, but its first use
// loads ten modules of Node, which every `ctx pack` would pay with more than a millisecond.

/** Returns milliseconds since an arbitrary moment in the past. */
export function monotonicNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
