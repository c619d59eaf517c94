// Results that came before their calls are held for a while, so that they can be judged with the call once that is known.
import type { Contents, Step } from "./run-entries.js";

/** A result that no call came before. */
export interface EarlyResult {
  step: Step;
  contents: Contents;
}

/** A result that came before its call is held to be judged again; one that is larger than any secret is not. */
const largestHeld = 1 << 16;

export function heldContents({ output, seen }: Contents): Contents {
  return {
    output: (output?.length ?? 0) <= largestHeld ? output : undefined,
    seen: (seen?.length ?? 0) <= largestHeld ? seen : undefined,
  };
}

/** Gives a call what its result brought, and the turn stays that of the call. */
export function takeOver(call: Step, { output, seen, metadata }: Step): void {
  Object.assign(call, output === undefined ? {} : { output }, seen === undefined ? {} : { seen });
  Object.assign(call.metadata, metadata, { turn: call.metadata["turn"] });
}
