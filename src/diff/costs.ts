// The costs that decide how two runs are aligned, as docs/drift.md has them: `ctx diff` finds the cheapest
// explanation of how one run became the other.
/** The costs by which the cheapest alignment is chosen. */
export const costs = {
  equal: 0,
  otherOutput: 2,
  /** Different parameters with the same output, or with at least half of the words in common. */
  closeParameters: 4,
  otherParameters: 6,
  /** A different tool or type with the same parameters or the same output. */
  closeTool: 5,
  otherTool: 8,
  /** A stretch of added or removed steps, and each step in it. */
  stretch: 4,
  stretchStep: 2,
  move: 2,
  moveStep: 1,
  moveOtherOutput: 2,
  retry: 1,
  retryStep: 1,
} as const;
