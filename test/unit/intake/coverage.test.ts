// What a run says of its own log.
import { describe, expect, it } from "vitest";
import { canonicalBytes } from "../../../src/base/json/canonical.js";
import type { JsonObject } from "../../../src/base/json/value.js";
import { Coverage } from "../../../src/intake/coverage.js";

describe("coverage", () => {
  it("coverage: an undamaged log has only what was captured", () => {
    const coverage = new Coverage();
    coverage.records = 3;
    expect(coverage.toJson(["prompts", "times"])).toEqual({ records: 3, captured: ["prompts", "times"] });
    expect(coverage.notices()).toEqual([]);
  });

  it("coverage: everything that was counted is reported", () => {
    const coverage = new Coverage();
    coverage.records = 12;
    coverage.replaced = 4;
    coverage.duplicates = 3;
    coverage.truncated = 2;
    for (const kind of ["zebra", "ant", "zebra"]) coverage.skip(kind);
    coverage.leaveOut("progress");
    coverage.damage(7, "is not valid JSON");
    coverage.endsPartly();
    for (const what of ["times", "the model", "times"]) coverage.addUnknown(what);
    coverage.rebuilt("outputs");
    coverage.rebuilt("outputs");
    expect(coverage.toJson([])).toEqual({
      records: 12,
      captured: [],
      reconstructed: ["outputs"],
      unknown: ["times", "the model"],
      skipped: { ant: 1, zebra: 2 },
      left_out: { progress: 1 },
      damaged: { count: 1, lines: [{ line: 7, why: "is not valid JSON" }] },
      partial_last_line: true,
      duplicates: 3,
      truncated: 2,
      replaced: 4,
    });
    expect(Object.keys(coverage.toJson([])["skipped"] as JsonObject)).toEqual(["ant", "zebra"]);
  });

  it("coverage: ten damaged lines are named, the others are counted", () => {
    const coverage = new Coverage();
    for (let line = 1; line <= 10; line++) coverage.damage(line, "is not valid JSON");
    expect(coverage.notices().length).toBe(10);
    for (let line = 11; line <= 25; line++) coverage.damage(line, "is not valid JSON");
    expect(coverage.notices().at(-1)).toBe("15 more lines are damaged, and left out");
    expect(coverage.notices().length).toBe(11);
    const { damaged } = coverage.toJson([]) as { damaged: { count: number; lines: unknown[] } };
    expect([damaged.count, damaged.lines.length]).toEqual([25, 10]);
  });

  it("coverage: one further damaged line is reported in the singular", () => {
    const coverage = new Coverage();
    for (let line = 1; line <= 11; line++) coverage.damage(line, "is not valid JSON");
    expect(coverage.notices().at(-1)).toMatch(/^1 more line is damaged/);
  });

  it("coverage: a hundred kinds are named, the others are counted together", () => {
    const coverage = new Coverage();
    for (let kind = 0; kind < 5000; kind++) coverage.skip(`kind ${kind}`);
    coverage.skip("kind 5");
    const skipped = coverage.toJson([])["skipped"] as Record<string, number>;
    expect(Object.keys(skipped).length).toBe(101);
    expect(skipped["others"]).toBe(4900);
    expect(skipped["kind 5"]).toBe(2);
    expect(Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(5001);
  });

  it("coverage: kinds with very long names are counted together, and their names are not kept", () => {
    const coverage = new Coverage();
    coverage.skip("x".repeat(1_000_000));
    coverage.skip("x".repeat(101));
    for (let kind = 0; kind < 200; kind++) coverage.skip(`kind ${kind}`);
    coverage.skip(`${"x".repeat(99)}😀`);
    const skipped = coverage.toJson([])["skipped"] as Record<string, number>;
    expect(skipped["(more than 100 characters)"]).toBe(3);
    expect(Object.keys(skipped).some((kind) => kind.includes("xxx"))).toBe(false);
  });

  it("coverage: any word can be a kind", () => {
    const coverage = new Coverage();
    for (const kind of ["__proto__", "constructor", "", "toString", "0", "others"]) coverage.skip(kind);
    const skipped = coverage.toJson([])["skipped"] as JsonObject;
    expect(Object.keys(skipped).sort()).toEqual(["", "0", "__proto__", "constructor", "others", "toString"]);
    expect(Object.getPrototypeOf(skipped)).toBe(Object.prototype);
    expect(canonicalBytes(coverage.toJson([])).toString()).toContain('"__proto__":1');
  });

  it("coverage: a report does not change after it was returned", () => {
    const coverage = new Coverage();
    coverage.damage(1, "is not valid JSON");
    const captured = ["prompts"];
    const first = coverage.toJson(captured);
    const before = JSON.stringify(first);
    captured.push("times");
    coverage.damage(2, "is not valid JSON");
    coverage.skip("x");
    expect(JSON.stringify(first)).toBe(before);
  });
});
