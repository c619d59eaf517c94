// Which calls to the system are worth failing: those of one kind differ only in the object that they are
// about.
import type { Call } from "./strace.js";

export function kindOf({ what }: Call): string {
  return what.replaceAll(/objects\/[0-9a-f]{2}/g, "objects/xx").replaceAll(/[0-9a-f]{62,64}/g, "H");
}

/** Returns the first and the last call of each kind. */
export function ofEachKind(calls: readonly Call[]): Call[] {
  const kinds = new Map<string, Call[]>();
  for (const call of calls) kinds.set(kindOf(call), [...(kinds.get(kindOf(call)) ?? []), call]);
  return [...kinds.values()].flatMap((same) => [...new Set([same[0] as Call, same.at(-1) as Call])]);
}
