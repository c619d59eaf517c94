// The counting and the mirror of the property test: a comparison that is not steady, or that throws, has to
// show.
import { describe, expect, it } from "vitest";
import type { Explanation } from "../../../dev/drift/explanation.js";
import { type Case, makeCase } from "../../../dev/drift/generate.js";
import { type Compared, mirrorProblem } from "../../../dev/drift/mirror.js";
import { type Compare, describeFailure, examine, ratesOf } from "../../../dev/drift/rates.js";
import { runAll } from "../../../dev/drift/run-all.js";

/** Returns what was planted as a whole report. */
function reportOf({ entries, reordered }: Explanation, a: Case["a"], b: Case["b"]): Compared {
  return {
    pack_hash_a: `sha256:${a.hex}`,
    pack_hash_b: `sha256:${b.hex}`,
    has_drift: entries.length > 0,
    entries: entries.map((entry) => ({
      ...entry,
      description: "",
      pack_a: null,
      pack_b: null,
      relation: null,
    })),
    context: [],
    reordered,
    alignment: "exact",
    ignored: { differences: 0 },
  };
}

describe("examine", () => {
  const planted = makeCase(1, 0);
  const forth: Compare = (a, b) => reportOf(planted.planted, a, b);

  it("drift rates: examine finds a report that is not symmetric", () => {
    const { passed, unsteady } = examine(planted, forth);
    expect(passed).toBe(true);
    expect(unsteady.join()).toMatch(/not mirrored: entries/);
  });

  it("drift rates: examine finds different bytes", () => {
    let calls = 0;
    const { unsteady } = examine(planted, (a, b) => ({ ...forth(a, b), call: calls++ }));
    expect(unsteady).toContain("not the same bytes again");
  });

  it("drift rates: examine counts a comparison that throws as a failure, and names the seed", () => {
    const outcome = examine(planted, () => {
      throw new Error("no");
    });
    expect(outcome.passed).toBe(false);
    expect(describeFailure(outcome)).toMatch(/^set 1 case 0 \(seed 0x[0-9a-f]{8}\): insert[^]*threw no/);
    expect(ratesOf([outcome]).filter(({ met }) => !met).length).toBeGreaterThan(1);
  });
});

describe("mirrorProblem", () => {
  const planted = makeCase(1, 0);
  const report = reportOf(planted.planted, planted.a, planted.b);
  const back = reportOf(
    {
      entries: planted.planted.entries.map((entry) => ({
        ...entry,
        change: "removed",
        index_a: entry.index_b,
        index_b: null,
      })),
      reordered: planted.planted.reordered.map(({ index_a, index_b }) => ({
        index_a: index_b,
        index_b: index_a,
      })),
    },
    planted.b,
    planted.a,
  );

  it("drift rates: mirrorProblem accepts the mirror, whatever it says about the divergence", () => {
    expect(mirrorProblem(report, back)).toBeUndefined();
    const entries = back.entries.map((entry) => ({
      ...entry,
      relation: "before" as const,
      description: "?",
    }));
    expect(mirrorProblem(report, { ...back, entries })).toBeUndefined();
  });

  it("drift rates: mirrorProblem names what is not exchanged", () => {
    expect(mirrorProblem(report, { ...back, pack_hash_a: report.pack_hash_a })).toMatch(/^hashes/);
    expect(mirrorProblem(report, { ...back, reordered: [{ index_a: 0, index_b: 1 }] })).toMatch(/^reordered/);
    expect(mirrorProblem(report, { ...back, has_drift: false })).toMatch(/^rest/);
    expect(mirrorProblem(report, { ...back, entries: [] })).toMatch(/^entries/);
  });
});

/** Never finds a difference. */
const nothing: Compare = (a, b) => reportOf({ entries: [], reordered: [] }, a, b);

describe("runAll", () => {
  it("drift rates: runAll fails when a rate is missed, lists the cases, and runs only what was selected", () => {
    const lines: string[] = [];
    const args = ["--set", "1", "--from", "0", "--count", "22", "--only", "delete"];
    expect(runAll(args, nothing, (line) => lines.push(line))).toBe(false);
    expect(lines[0]).toMatch(/^set 1: 2 cases/);
    expect(lines.join("\n")).toMatch(/MISSED {2}complete: 0\/2/);
    expect(lines.filter((line) => /^ {2}set 1 case (?:1|12) /.test(line))).toHaveLength(2);
  });

  it("drift rates: runAll prints its usage", () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    expect(runAll(["--help"], nothing, print)).toBe(true);
    expect(runAll(["--only", "nonsense"], nothing, print)).toBe(false);
    expect(lines.join("\n")).toMatch(/--only KIND/);
  });
});
