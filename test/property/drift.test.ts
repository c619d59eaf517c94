// 60 of the 15,000 cases that `npm run drift` runs: planted differences against what the comparison reports.
// test/system/drift.test.ts runs more. And the test itself is tested: poor aligners have to fail.
import { describe, expect, it } from "vitest";
import { crippled, crippledReport } from "../../dev/drift/crippled.js";
import { kinds, makeCase } from "../../dev/drift/generate.js";
import { judge } from "../../dev/drift/judge.js";
import { missedRates, sample } from "../../dev/drift/sample.js";

describe("drift", () => {
  it("drift: planted changes are explained at no higher cost", () => {
    expect(missedRates([...sample(1, 40), ...sample(2, 20)])).toBe("");
  });
});

describe("the judge of drift", () => {
  it("the judge of drift passes what was planted", () => {
    for (const planted of [...sample(1, 60), ...sample(2, 30)]) {
      const verdict = judge(planted.a.manifest, planted.b.manifest, planted.planted, planted.planted);
      expect(verdict).toMatchObject({ problems: [], passed: true, exact: "same" });
    }
  });

  it.each(crippled)("the judge of drift fails a bad alignment: $name", (poor) => {
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
