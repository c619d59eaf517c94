import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Suites that take half a minute and more, the longest first. Begun last, each would keep one worker busy while the others idle. */
const slow = [
  "system/torture",
  "system/docs",
  "property/drift",
  "system/concurrency",
  "system/pack-foreign",
  "system/verify",
  "system/streams",
  "system/gc-race",
  "system/executable",
  "system/bundles",
  "system/sandbox-escapes",
  "system/bench",
];

/** The position among the slow suites; all others come after them. */
function rank({ moduleId }: TestSpecification): number {
  const at = slow.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at === -1 ? slow.length : at;
}

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    reporters: ["default", "./test/reporter.ts"],
    sequence: { sequencer: SlowFirst },
    // Many suites wait for programs that they started: with one for each processor, a quarter of the time would be idle.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
