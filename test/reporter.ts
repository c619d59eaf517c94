// Ends a test run with the slowest suites, the tests that were skipped and why, and one line of counts.
import { relative } from "node:path";
import type { Reporter, TestModule, TestSuite, Vitest } from "vitest/node";

/** How many of the slowest suites are listed. */
const slowest = 10;

/** Returns the reason that dev/needs.ts put into a name. */
function needIn(name: string): string | undefined {
  return /\[needs: ([^\]]+)\]/.exec(name)?.[1];
}

/** Returns the names of the suites without a test; a suite inside such a suite is not named again. */
function namesWithoutTests(module: TestModule | TestSuite): string[] {
  if (isEmpty(module)) {
    const [suite] = module.children.allSuites();
    return [suite?.fullName ?? (module.type === "suite" ? module.fullName : "")];
  }
  return [...module.children.suites()].flatMap(namesWithoutTests);
}

function isEmpty({ children }: TestModule | TestSuite): boolean {
  return children.allTests().next().done === true;
}

export default class Summary implements Reporter {
  #folder = "";
  #isSelection = false;

  onInit({ config }: Vitest): void {
    this.#folder = config.root;
    this.#isSelection = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    this.#listSlowest(modules);
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const skipped = new Map<string, number>();
    const skip = (why: string): void => void skipped.set(why, (skipped.get(why) ?? 0) + 1);
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const result = test.result();
        counts[result.state]++;
        if (result.state !== "skipped" || this.#isSelection) continue;
        const need = needIn(test.fullName);
        skip(
          need === undefined ? (result.note ?? `${this.#nameOf(module)} does not say why`) : `needs ${need}`,
        );
      }
      if (module.state() === "failed" && tests.every((test) => test.result().state !== "failed"))
        counts.failed++;
      else if (!this.#isSelection)
        for (const name of namesWithoutTests(module)) {
          counts.skipped++;
          const need = needIn(name);
          skip(need === undefined ? `${this.#nameOf(module)} has no test to run` : `needs ${need}`);
        }
    }
    for (const [why, count] of skipped) console.log(`${count} skipped: ${why}`);
    console.log(
      `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`,
    );
  }

  #listSlowest(modules: readonly TestModule[]): void {
    if (modules.length <= slowest) return;
    const times = modules.map((module) => ({
      name: this.#nameOf(module),
      seconds: module.diagnostic().duration / 1000,
    }));
    console.log("\nThe slowest suites:");
    for (const { name, seconds } of times.sort((a, b) => b.seconds - a.seconds).slice(0, slowest))
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
    console.log("");
  }

  #nameOf({ moduleId }: TestModule): string {
    return relative(this.#folder, moduleId);
  }
}
