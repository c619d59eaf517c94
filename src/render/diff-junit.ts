// Renders a drift report as JUnit XML: one test for each type of drift, which fails if a drift counts.
import { type DriftReport, type DriftType, driftTypes } from "../results/drift.js";
import { usualText } from "./diff.js";
import { type JunitCase, renderSuite } from "./junit.js";
import { shortHash } from "./layout.js";

export function renderJunit(report: DriftReport, only: readonly DriftType[] = driftTypes): string {
  const name = `ctx diff ${shortHash(report.pack_hash_a)} ${shortHash(report.pack_hash_b)}`;
  const cases = driftTypes
    .filter((type) => only.includes(type))
    .map((type): JunitCase => {
      const entries = report.entries.filter((entry) => entry.type === type);
      const counted = entries
        .filter(({ usual }) => usual === undefined)
        .map(({ description }) => description);
      const usual = entries.flatMap((entry) =>
        entry.usual === undefined ? [] : [`${entry.description}${usualText(entry)}`],
      );
      return {
        name: type,
        failure:
          counted.length === 0
            ? undefined
            : { message: `${counted.length} ${type}: ${counted[0]}`, text: counted.join("\n") },
        output: usual.length === 0 ? undefined : usual.join("\n"),
      };
    });
  const broken = report.unreadable.map(
    ({ reference, message }): JunitCase => ({ name: `content ${shortHash(reference)}`, error: message }),
  );
  return renderSuite("ctx.diff", name, [...cases, ...broken]);
}

/** Renders JUnit XML without a report: one test that could not be run. */
export function renderJunitError(message: string): string {
  return renderSuite("ctx.diff", "ctx diff", [{ name: "comparison", error: message }]);
}
