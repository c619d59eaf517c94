// Ends a test run with what was skipped and why, and one line of counts.
import type { Reporter, TestModule } from "vitest/node";

export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const needs = new Set<string>();
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        counts[test.result().state]++;
        const need = /\[needs: ([^\]]+)\]/.exec(test.fullName)?.[1];
        if (need !== undefined && test.result().state === "skipped") needs.add(need);
      }
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) counts.failed++;
    }
    for (const need of needs)
      console.log(`skipped for want of ${need}: apt-get install ${need.replaceAll(",", "")}`);
    console.log(
      `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`,
    );
  }
}
