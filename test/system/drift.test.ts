// 350 of the 15,000 cases that `npm run drift` runs: planted differences against what the comparison reports,
// also where it reaches its limits.
import { describe, expect, it } from "vitest";
import { compareRuns } from "../../src/diff/compare-runs.js";
import { type Compare, examine } from "../../dev/drift/rates.js";
import { missedRates, sample } from "../../dev/drift/sample.js";

describe("drift rates, a sample of cases", () => {
  it("drift: planted changes are explained at no higher cost", () => {
    expect(missedRates([...sample(1, 200), ...sample(2, 100)])).toBe("");
  }, 300_000);

  it.each([
    { cells: 2000, allCells: 1 << 20, characters: 1 << 20, comparisons: 1 << 20 },
    { cells: 500, allCells: 20_000, characters: 2000, comparisons: 2000 },
    { cells: 0, allCells: 0, characters: 0, comparisons: 0 },
  ])(
    "drift: a diff is complete, symmetric and stable where limits are reached: $cells cells",
    (budget) => {
      const compare: Compare = (a, b) => compareRuns(a, b, { budget });
      const outcomes = [...sample(1, 25), ...sample(2, 25)].map((planted) => examine(planted, compare));
      for (const { problems, unsteady } of outcomes) expect([...problems, ...unsteady]).toEqual([]);
      expect(outcomes.some(({ alignment }) => alignment === "coarse")).toBe(true);
    },
    300_000,
  );
});
