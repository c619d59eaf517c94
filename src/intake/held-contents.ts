// Holds results that came before their calls, so that they can be scanned with their call once it is known.
import type { Contents, BuiltStep } from "./run-entries.js";

/** A result that came before its call. */
export interface EarlyResult {
  step: BuiltStep;
  contents: Contents;
}

/**
 * Results up to this size are held, to be scanned again with their call; a larger one is bigger than any
 * secret.
 */
const maxHeld = 1 << 16;

export function heldContents({ output, seen }: Contents): Contents {
  return {
    output: (output?.length ?? 0) <= maxHeld ? output : undefined,
    seen: (seen?.length ?? 0) <= maxHeld ? seen : undefined,
  };
}

/** Moves a result to its call; the turn stays that of the call. */
export function takeOver(call: BuiltStep, { output, seen, metadata }: BuiltStep): void {
  Object.assign(call, output === undefined ? {} : { output }, seen === undefined ? {} : { seen });
  Object.assign(call.metadata, metadata, { turn: call.metadata["turn"] });
}
