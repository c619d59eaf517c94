// The short form of `npm run torture`: a sample of every case, each as a test of its own.
import { expect, it } from "vitest";
import { cases } from "../../torture/cases.js";
import { missingFor, runCase } from "../../torture/run.js";
import { describeWith, mounts, program } from "../../dev/needs.js";

const seed = 1;

for (const one of cases) {
  const missing = missingFor(one).map((need) => ({
    ...(need === "root" ? mounts : program(need)),
    isThere: () => false,
  }));
  describeWith(missing, `torture: ${one.group}`, () => {
    it(`torture, ${one.group}: ${one.name}`, { timeout: 300_000 }, async () => {
      const { tries, violations } = await runCase(one, { short: true, seed, say: () => undefined });
      expect(violations).toEqual([]);
      expect(tries).toBeGreaterThan(0);
    });
  });
}
