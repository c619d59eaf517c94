// An effect that could not be applied is not a failure of the replay: the step ran, and the record may well
// say the same.

/** Thrown inside built-in executors; becomes an effect that was not applied. */
export class NotApplied extends Error {}
