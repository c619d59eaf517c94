// Holds results that came before their calls, so that they can be scanned with their call once it is known.
import type { Contents, Step } from "./run-entries.js";

/** A result that came before its call. */
export interface EarlyResult {
  step: Step;
  contents: Contents;
}

/**
 * Results up to this size are held, to be scanned again with their call; a larger one is bigger than any
 * secret.
 */
const largestHeld = 1 << 16;

export function heldContents({ output, seen }: Contents): Contents {
  return {
    output: (output?.length ?? 0) <= largestHeld ? output : undefined,
    seen: (seen?.length ?? 0) <= largestHeld ? seen : undefined,
  };
}

/** Moves a result to its call; the turn stays that of the call. */
export function takeOver(call: Step, { output, seen, metadata }: Step): void {
  Object.assign(call, output === undefined ? {} : { output }, seen === undefined ? {} : { seen });
  Object.assign(call.metadata, metadata, { turn: call.metadata["turn"] });
}
