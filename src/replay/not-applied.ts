// That an effect could not be applied is no failure of replay: the step ran, and the record may well say the same.

/** Thrown inside built-in executors; becomes an effect that was not applied. */
export class NotApplied extends Error {}
