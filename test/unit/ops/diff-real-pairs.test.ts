// Where two real runs diverged: at the same place of both, as a reader who lays them side by side would point
// at it.
import { beforeAll, expect, it } from "vitest";
import { tempStore } from "../../../dev/folders.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";
import { hexOf } from "../../../src/base/digest.js";
import type { Manifest } from "../../../src/model/manifest.js";
import { diff } from "../../../src/ops/diff.js";
import { packAll } from "../../../src/ops/pack.js";
import { divergedText } from "../../../src/render/divergence.js";
import type { DriftReport } from "../../../src/results/drift.js";
import { readPack } from "../../../src/store/packs.js";
import type { Store } from "../../../src/store/store.js";
import { packTitle } from "../../../src/store/titles.js";

const formats = ["openai-messages", "tau-bench", "swe-agent", "claude-code", "otel", "inspect"];
const logs = samples().filter(({ detected }) => formats.includes(detected));

interface Run {
  hex: string;
  format: string;
  title: string;
  manifest: Manifest;
}

/**
 * Returns the positions below `end` of steps that have no counterpart in order, by the entries of a report
 * alone.
 */
function unpaired({ entries, reordered }: DriftReport, side: "a" | "b", end: number): number {
  const own = side === "a" ? "removed" : "added";
  const positions = new Set(reordered.map((pair) => pair[`index_${side}`]));
  for (const entry of entries) {
    const first = entry[`index_${side}`];
    if (first !== null && (entry.change === own || entry.change === "moved"))
      for (let at = 0; at < entry.count; at++) positions.add(first + at);
    for (const extra of entry[`extra_${side}`]) positions.add(extra);
  }
  return [...positions].filter((position) => position < end).length;
}

function packed(store: Store): Run[] {
  return logs.flatMap(({ file, detected }) =>
    packAll(store, { file }, { created: "2026-01-01T00:00:00Z" }).map(({ hash }): Run => {
      const hex = hexOf(hash);
      const { manifest } = readPack(store.root, hex);
      return { hex, format: detected, title: packTitle(store.root, hex) ?? "", manifest };
    }),
  );
}

describeWith([realLogs(logs)], "diff of real runs", () => {
  const store = tempStore();
  let runs: Run[] = [];
  beforeAll(() => {
    runs = packed(store);
  });

  it("diff of real runs: both have the same number of common steps behind them where they diverged", () => {
    let checked = 0;
    for (const [at, a] of runs.entries())
      for (const b of runs.slice(at + 1)) {
        if (a.format !== b.format || a.hex === b.hex) continue;
        const report = diff(store, a.hex, b.hex, { content: "none" });
        const first = report.first_divergence;
        if (first === null) continue;
        const [endA, endB] = [
          first.index_a ?? a.manifest.steps.length,
          first.index_b ?? b.manifest.steps.length,
        ];
        const common = [endA - unpaired(report, "a", endA), endB - unpaired(report, "b", endB)];
        expect(common[0], `${a.title} / ${b.title}: ${divergedText(report)}`).toBe(common[1]);
        checked++;
      }
    expect(checked).toBeGreaterThan(100);
  });

  it("diff of real runs: two runs of one user of tau-bench diverged at step 7 of one and step 10 of the other", () => {
    const [a, b] = ["I want to modify a flight booking", "Hi! I need to make a few changes"].map((title) =>
      runs.find((run) => run.title.startsWith(title)),
    );
    const report = diff(store, a?.hex ?? "", b?.hex, { content: "none" });
    // Both have looked up the user and three reservations; then one changes the flight, and the other thinks.
    expect(report.first_divergence).toMatchObject({
      index_a: 7,
      index_b: 10,
      step_a: { tool: "update_reservation_flights" },
      step_b: { tool: "think" },
    });
    expect(divergedText(report)).toMatch(/^The runs diverged at step 7 \(step 10 in [0-9a-f]{12}\)$/);
  });

  it("diff of real runs: runs of 25 and 27 steps that share none diverged at the beginning of both", () => {
    const [a, b] = [25, 27].map((steps) =>
      runs.find((run) => run.format === "swe-agent" && run.manifest.steps.length === steps),
    );
    const { first_divergence: first } = diff(store, a?.hex ?? "", b?.hex, { content: "none" });
    expect(first).toMatchObject({ index_a: 2, index_b: 2 });
  });
});
