// 500 of the 15,000 cases that `npm run drift` runs: planted differences against what the comparison reports. And the
// test itself is tested: poor aligners have to fail.
import { describe, expect, it } from "vitest";
import { compareRuns } from "../../src/diff/compare-runs.js";
import { crippled, crippledReport } from "../../dev/drift/crippled.js";
import { type Case, type CaseSet, kinds, makeCase, setSizes } from "../../dev/drift/generate.js";
import { judge } from "../../dev/drift/judge.js";
import { type Compare, describeFailure, examine, percent, ratesOf } from "../../dev/drift/rates.js";

/** Every 29th: it shares no factor with the cycle of kinds and shapes, so each of them has its share. */
function sample(set: CaseSet, count: number): Case[] {
  return Array.from({ length: count }, (_, place) => makeCase(set, (29 * place) % setSizes[set]));
}

describe("drift", () => {
  it("explains what was planted at no higher price", () => {
    const outcomes = [...sample(1, 200), ...sample(2, 100)].map((planted) => examine(planted, compareRuns));
    const missed = ratesOf(outcomes)
      .filter(({ met }) => !met)
      .map(({ what, least, held, of, missed }) => {
        const title = `${what}: ${held}/${of} = ${percent(held, of)}, required ${percent(least, 1)}`;
        return [title, ...missed.slice(0, 20).map(describeFailure)].join("\n  ");
      });
    expect(missed.join("\n")).toBe("");
  }, 300_000);

  it.each([
    { cells: 2000, allCells: 1 << 20, characters: 1 << 20, comparisons: 1 << 20 },
    { cells: 500, allCells: 20_000, characters: 2000, comparisons: 2000 },
    { cells: 0, allCells: 0, characters: 0, comparisons: 0 },
  ])(
    "is complete, mirrored and steady where limits are reached: $cells cells",
    (budget) => {
      const compare: Compare = (a, b) => compareRuns(a, b, { budget });
      const outcomes = [...sample(1, 25), ...sample(2, 25)].map((planted) => examine(planted, compare));
      for (const { problems, unsteady } of outcomes) expect([...problems, ...unsteady]).toEqual([]);
      expect(outcomes.some(({ alignment }) => alignment === "coarse")).toBe(true);
    },
    300_000,
  );
});

describe("the judge of drift", () => {
  it("passes what was planted", () => {
    for (const planted of [...sample(1, 60), ...sample(2, 30)]) {
      const verdict = judge(planted.a.manifest, planted.b.manifest, planted.planted, planted.planted);
      expect(verdict).toMatchObject({ problems: [], passed: true, exact: "same" });
    }
  });

  it.each(crippled)("fails an alignment: $name", (poor) => {
    for (const kind of poor.cannot) {
      const first = kinds.indexOf(kind);
      let passed = 0;
      for (let place = 0; place < 40; place++) {
        const planted = makeCase(1, first + place * kinds.length);
        const report = crippledReport(poor, planted);
        const verdict = judge(planted.a.manifest, planted.b.manifest, report, planted.planted);
        expect(verdict.problems).toEqual([]);
        if (verdict.passed) passed++;
      }
      expect(passed / 40, kind).toBeLessThan(0.6);
    }
  });
});
