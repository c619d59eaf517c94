// Adds up the usage of the requests of a run.
import type { JsonObject } from "../base/json/value.js";
import type { Usage } from "./run-entries.js";

/** The name of usage that covers all requests, not one. */
export const totalUsage = "total";

/** No count of tokens is larger, whatever a log says. */
const maxNumber = 1e300;

export class UsageBook {
  readonly #notes = new Map<string, Usage>();

  note(name: string, usage: Usage): void {
    const known = this.#notes.get(name);
    if (known === undefined) {
      this.#notes.set(name, { ...usage });
      return;
    }
    for (const key of Object.keys(usage) as (keyof Usage)[])
      if (usage[key] !== undefined) known[key] = Math.max(known[key] ?? 0, usage[key]);
  }

  totals(): JsonObject | undefined {
    if (this.#notes.size === 0) return undefined;
    // A total does not say how many requests there were.
    const totals: JsonObject = this.#notes.has(totalUsage) ? {} : { requests: this.#notes.size };
    for (const usage of this.#notes.values())
      for (const [key, value] of Object.entries(usage))
        if (value !== undefined)
          totals[key] = Math.min(((totals[key] as number | undefined) ?? 0) + value, maxNumber);
    return totals;
  }
}
