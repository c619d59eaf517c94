// Reads the summaries of test runners: the number of tests in each state, and the names of those that failed.
// A text without a summary has no result.

export type Runner = keyof typeof readers;

interface TestCounts {
  /** The summary, without times: counts of states. */
  totals: readonly string[];
  failed: readonly string[];
}

/** Returns the result in a form that can be compared; undefined where the text has no summary. */
export function resultOf(runner: Runner, text: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  const plain = text.replaceAll(/\u001b\[[\d;]*m/g, "").replaceAll("\r\n", "\n");
  const { totals, failed } = readers[runner](plain);
  return totals.length === 0 ? undefined : JSON.stringify([totals, [...new Set(failed)].sort()]);
}

const readers = {
  go(text: string): TestCounts {
    // A package that could not be built has no tests: its errors are the result.
    if (/\[(?:build|setup) failed\]/.test(text)) return { totals: [], failed: [] };
    const packages = all(
      text,
      /^(ok|FAIL|---|\?) {0,3}\t(\S+)(?:\t.*?(\[no test files\]|\[no tests to run\]|coverage: \S+)?)?$/gm,
    );
    const tests = all(text, /^ *--- (PASS|FAIL|SKIP): (\S+)/gm);
    return {
      totals: [...packages, ...tests].sort(),
      failed: tests.filter((test) => test.startsWith("FAIL")),
    };
  },
  mix: (text: string) => ({
    totals: all(
      text,
      /^((?:\d+ (?:doctests?|tests?|properties|property|failures?|excluded|skipped|invalid)(?:, )?)+)$/gm,
    ),
    failed: all(text, /^ {2,}\d+\) (.+)$/gm),
  }),
  vitest: (text: string) => ({
    totals: all(text, /^ *(Test Files|Tests) {2,}(\S.*)$/gm),
    failed: all(text, /^ *FAIL {2}(\S.*)$/gm),
  }),
  jest: (text: string) => ({
    totals: all(text, /^(Tests|Test Suites|Snapshots): +(\S.*)$/gm),
    failed: all(text, /^ *\u25cf (\S.*)$/gm).filter((name) => name.includes(" \u203a ")),
  }),
  pytest: (text: string) => ({
    totals: all(
      text,
      /^=* ?((?:\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?|rerun)(?:, )?)+|no tests ran) in [\d.]+s/gm,
    ),
    failed: all(text, /^(?:(?:FAILED|ERROR) (\S+)|_{3,} (.+?) _{3,}$)/gm),
  }),
  cargo: (text: string) => ({
    totals: all(
      text,
      /^test result: (\w+)\. (\d+ passed; \d+ failed; \d+ ignored; \d+ measured; \d+ filtered out)/gm,
    ),
    failed: all(text, /^test (.+) \.\.\. FAILED$/gm),
  }),
  unittest: (text: string) => ({
    totals: /^Ran \d+ tests? in /m.test(text)
      ? all(text, /^(Ran \d+ tests?) in |^((?:OK|FAILED)(?: \([\w=, ]+\))?)$/gm)
      : [],
    failed: all(text, /^(?:FAIL|ERROR): (.+)$/gm),
  }),
  node: (text: string) => ({
    totals: all(text, /^(?:#|\u2139) (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$/gm),
    failed: all(text, /^ *(?:not ok \d+ - (.+?)|\u2716 (.+?)(?: \([\d.]+ms\))?)(?: # .*)?$/gm),
  }),
} satisfies Record<string, (text: string) => TestCounts>;

/** All of them. */
export const testRunners = Object.keys(readers) as readonly Runner[];

/** Returns what the groups of a pattern matched, for each match. */
function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) =>
    match
      .slice(1)
      .filter((group) => group !== undefined)
      .join(" ")
      .trimEnd(),
  );
}
