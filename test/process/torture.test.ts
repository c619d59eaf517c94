// The short form of `npm run torture`: a sample of every case, each as a test of its own.
import { describe, expect, it } from "vitest";
import { cases } from "../../torture/cases.js";
import { missingFor, runCase } from "../../torture/run.js";
import { canMount } from "../../dev/mounts.js";
import { describeWith } from "../../dev/needs.js";

const seed = 1;

for (const one of cases) {
  const isBarred = one.needs?.includes("root") === true && !canMount();
  const why = isBarred ? " (skipped: this process may not mount file systems)" : "";
  const missing = missingFor(one).filter((need) => need !== "root");
  describe.skipIf(isBarred)(`torture: ${one.group}${why}`, () => {
    describeWith(
      missing.map((install) => ({ install, isThere: () => false })),
      "tried",
      () => {
        it(`with ${one.name}`, { timeout: 300_000 }, async () => {
          const { tries, violations } = await runCase(one, { short: true, seed, say: () => undefined });
          expect(violations).toEqual([]);
          expect(tries).toBeGreaterThan(0);
        });
      },
    );
  });
}
