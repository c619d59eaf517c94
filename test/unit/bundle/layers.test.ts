// How the blobs of a pack become layers.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LayerPlan, planLayers, type SizedBlob } from "../../../src/bundle/layers.js";
import { hashOf } from "../../../dev/bundles.js";

function blobs(count: number, size: number): SizedBlob[] {
  return Array.from({ length: count }, (_, at) => ({ hex: hashOf(`${at} of ${size}`), size }));
}

function layersOf({ tars, large }: LayerPlan): number {
  return 1 + tars.length + large.length;
}

function isSorted(hexes: readonly string[]): boolean {
  return String([...hexes].sort()) === String(hexes);
}

/** Returns what is wrong with a plan for these blobs. */
function wrongs(blobs: readonly SizedBlob[], { tars, large }: LayerPlan): string[] {
  const placed = [...tars.flatMap((tar) => tar.blobs), ...large].map(({ hex }) => hex).sort();
  const expected = blobs.map(({ hex }) => hex).sort();
  const prefixes = tars.map(({ prefix }) => prefix);
  const sizes = tars.map((tar) =>
    tar.blobs.reduce((sum, { size }) => sum + 512 + Math.ceil(size / 512) * 512, 1024),
  );
  return [
    ...(String(placed) === String(expected) ? [] : ["a blob is nowhere, or twice"]),
    ...(layersOf({ tars, large }) <= 1000 ? [] : ["there are too many layers"]),
    ...(isSorted(prefixes) && isSorted(large.map(({ hex }) => hex)) ? [] : ["layers are not in order"]),
    ...(prefixes.some((one, at) => prefixes.some((other, to) => at !== to && other.startsWith(one)))
      ? ["two tars are for the same blobs"]
      : []),
    ...tars.flatMap((tar, at) => [
      ...(tar.size === sizes[at] ? [] : [`${tar.prefix} is not of the size it says`]),
      ...(tar.blobs.length > 0 ? [] : [`${tar.prefix} is empty`]),
      ...(tar.blobs.every(({ hex }) => hex.startsWith(tar.prefix)) ? [] : [`${tar.prefix} has others`]),
      ...(isSorted(tar.blobs.map(({ hex }) => hex)) ? [] : [`${tar.prefix} is not in order`]),
    ]),
  ];
}

describe("the layers of a pack", () => {
  it("layers: a pack without blobs has none", () => {
    expect(planLayers([])).toEqual({ tars: [], large: [] });
  });

  it("layers: a blob of 64 KiB or more is a layer of its own", () => {
    const [small = { hex: "", size: 0 }] = blobs(1, 65_535);
    const [large = { hex: "", size: 0 }] = blobs(1, 65_536);
    expect(planLayers([large, small])).toEqual({
      tars: [{ prefix: "", size: 512 + 65_536 + 1024, blobs: [small] }],
      large: [large],
    });
  });

  it("layers: a tar of more than 4 MiB is split by the next digit, one of 4 MiB is not", () => {
    // 64 entries of 64 KiB with their headers are 4 MiB, if the end has its room.
    const size = 65_536 - 512;
    const most = blobs(63, size);
    const filling = { hex: hashOf("last"), size: size - 1024 };
    const full = planLayers([...most, filling]);
    expect(full.tars.map((tar) => [tar.prefix, tar.size])).toEqual([["", 4 << 20]]);
    const over = [...most, { ...filling, size: size - 1023 }];
    const split = planLayers(over);
    expect(split.tars.map(({ prefix }) => prefix)).toEqual(
      [...new Set(over.map(({ hex }) => hex.slice(0, 1)))].sort(),
    );
    expect(wrongs(over, split)).toEqual([]);
  });

  it("layers: only a tar that is too large is split further", () => {
    const many = blobs(3000, 4000).filter(({ hex }) => /^[0a]/.test(hex));
    const few = blobs(40_000, 4000).filter(({ hex }) => hex.startsWith("7"));
    const { tars } = planLayers([...many, ...few]);
    expect(tars.map(({ prefix }) => prefix)).toEqual([
      "0",
      ..."0123456789abcdef".split("").map((digit) => `7${digit}`),
      "a",
    ]);
  });

  it.each([
    ["1,500 blobs of 100 kB", blobs(1500, 100_000), 0],
    ["5,000 blobs of 1 MB", blobs(5000, 1_000_000), 0],
    ["100,000 blobs of 4 kB", blobs(100_000, 4000), 0],
    ["1,000 blobs of 64 KiB, one too many", blobs(1000, 65_536), 0],
    ["999 blobs of 64 KiB", blobs(999, 65_536), 999],
    ["1,200 blobs of 100 kB and 900 of 1 MB", [...blobs(1200, 100_000), ...blobs(900, 1_000_000)], 900],
  ])("layers: there are at most 1,000 with %s", (_, blobs, large) => {
    const plan = planLayers(blobs);
    expect(wrongs(blobs, plan)).toEqual([]);
    expect(plan.large).toHaveLength(large);
  });

  it("layers: the size limit grows by doubling", () => {
    // 1,500 of 100 kB are all small after one doubling, and a tar may have 8 MiB then.
    const { tars } = planLayers(blobs(1500, 100_000));
    expect(Math.max(...tars.map(({ size }) => size))).toBeGreaterThan(4 << 20);
    expect(Math.max(...tars.map(({ size }) => size))).toBeLessThanOrEqual(8 << 20);
    expect(planLayers(blobs(100_000, 4000)).tars.every(({ size }) => size <= 4 << 20)).toBe(true);
  });

  it("layers: they follow from names and sizes alone, and every blob is in one", () => {
    const sized = fc.record({
      hex: fc.stringMatching(/^[0-3]{2}[0-9a-f]{62}$/),
      size: fc.oneof(fc.nat(100), fc.nat(70_000), fc.constantFrom(65_535, 65_536), fc.nat(5 << 20)),
    });
    const blobs = fc.uniqueArray(sized, { selector: ({ hex }) => hex, maxLength: 200, size: "max" });
    fc.assert(
      fc.property(blobs, fc.infiniteStream(fc.double({ noNaN: true })), (some, random) => {
        const plan = planLayers(some);
        expect(wrongs(some, plan)).toEqual([]);
        const shuffled = some
          .map((blob) => ({ blob, key: random.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ blob }) => blob);
        expect(planLayers(shuffled)).toEqual(plan);
      }),
      { numRuns: 60 },
    );
  });

  it("layers: blobs that differ only in the last digit of their hash are separated", () => {
    const blobs = ["0", "1"].map((digit) => ({ hex: "a".repeat(63) + digit, size: 60_000 }));
    const more = Array.from({ length: 100 }, (_, at) => ({
      hex: "a".repeat(61) + String(at).padStart(3, "0"),
      size: 60_000,
    }));
    expect(wrongs([...blobs, ...more], planLayers([...blobs, ...more]))).toEqual([]);
  });
});
