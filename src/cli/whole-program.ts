// The small programs lack what few of their calls need. Such a call starts over in the whole program, before
// it has printed or changed anything.

/** Thrown in a small program when a call needs the whole one. */
export class NeedsWholeProgram extends Error {}
