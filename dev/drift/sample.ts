// A sample of the planted cases, for the tests: `npm run drift` runs all of them.
import { compareRuns } from "../../src/diff/compare-runs.js";
import { type Case, type CaseSet, makeCase, setSizes } from "./generate.js";
import { describeFailure, examine, percent, ratesOf } from "./rates.js";

/** Returns every 29th case: 29 shares no factor with the cycle of kinds and shapes, so each has its share. */
export function sample(set: CaseSet, count: number): Case[] {
  return Array.from({ length: count }, (_, position) => makeCase(set, (29 * position) % setSizes[set]));
}

/** Returns each rate that the comparison missed, with the cases that it failed; empty if it missed none. */
export function missedRates(cases: readonly Case[]): string {
  return ratesOf(cases.map((planted) => examine(planted, compareRuns)))
    .filter(({ met }) => !met)
    .map(({ what, least, held, of, missed }) => {
      const title = `${what}: ${held}/${of} = ${percent(held, of)}, required ${percent(least, 1)}`;
      return [title, ...missed.slice(0, 20).map(describeFailure)].join("\n  ");
    })
    .join("\n");
}
