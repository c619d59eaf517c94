// The short form of `npm run torture`: a sample of every case, each as a test of its own.
import { expect, it } from "vitest";
import { cases } from "../../torture/cases.js";
import { missingFor, runCase } from "../../torture/run.js";
import { describeWith } from "../support/needs.js";

const seed = 1;

for (const one of cases)
  describeWith(
    missingFor(one).map((install) => ({ install, isThere: () => false })),
    `torture: ${one.group}`,
    () => {
      it(`with ${one.name}`, { timeout: 300_000 }, async () => {
        const { tries, violations } = await runCase(one, { short: true, seed, say: () => undefined });
        expect(violations).toEqual([]);
        expect(tries).toBeGreaterThan(0);
      });
    },
  );
