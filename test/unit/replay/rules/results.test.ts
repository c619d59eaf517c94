import { describe, expect, it } from "vitest";
import { matchOf } from "./compare.js";

interface Sample {
  line: string;
  recorded: string;
  /** The same result, with what varies. */
  same: string;
  /** Results that differ. */
  other: string[];
}

const samples: Sample[] = [
  {
    line: "go test ./... 2>&1 | tail -40",
    recorded:
      "?   \tx/a\t[no test files]\nok  \tx/b\t6.237s\n--- FAIL: TestOne (0.00s)\n    b_test.go:4: pid 1\nFAIL\nFAIL\tx/c\t0.1s\n",
    same: "?   \tx/a\t[no test files]\nok  \tx/b\t(cached)\n--- FAIL: TestOne (0.01s)\n    b_test.go:4: pid 2\nFAIL\nFAIL\tx/c\t0.2s\n",
    other: [
      "?   \tx/a\t[no test files]\nok  \tx/b\t1s\nok  \tx/c\t0.2s\n",
      "?   \tx/a\t[no test files]\nok  \tx/b\t1s\n--- FAIL: TestTwo (0.01s)\nFAIL\nFAIL\tx/c\t0.2s\n",
      "?   \tx/a\t[no test files]\n--- FAIL: TestOne (0.01s)\nFAIL\nFAIL\tx/c\t0.2s\n",
      "ok  \tx/b\t6.237s\tcoverage: 1%\n",
      "FAIL\tx/b [build failed]\n",
    ],
  },
  {
    line: "mix test",
    recorded:
      "\n  1) test adds (CalcTest)\n     pid #PID<0.1.0>\n\nFinished in 0.1 seconds\n2 tests, 1 failure\n\nRandomized with seed 1\n",
    same: "\n  1) test adds (CalcTest)\n     pid #PID<0.2.0>\n\nFinished in 0.2 seconds\n2 tests, 1 failure\n\nRandomized with seed 2\n",
    other: [
      "Finished in 0.1 seconds\n2 tests, 0 failures\n",
      "  1) test subs (CalcTest)\n2 tests, 1 failure\n",
    ],
  },
  {
    line: "npx vitest run src",
    recorded:
      " RUN  v4.1.5\n FAIL  src/a.test.ts > adds\n Test Files  1 failed (1)\n      Tests  1 failed | 15 skipped (16)\n   Start at  10:00:00\n",
    same: " RUN  v4.1.12\n FAIL  src/a.test.ts > adds\n Test Files  1 failed (1)\n      Tests  1 failed | 15 skipped (16)\n   Start at  11:00:00\n",
    other: [
      " FAIL  src/a.test.ts > subs\n Test Files  1 failed (1)\n      Tests  1 failed | 15 skipped (16)\n",
      " Test Files  1 passed (1)\n      Tests  1 passed | 15 skipped (16)\n",
    ],
  },
  {
    line: "yarn jest",
    recorded:
      "  \u25cf calc \u203a adds\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nTime: 1 s, pid 3\n",
    same: "  \u25cf calc \u203a adds\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nTime: 2 s, pid 4\n",
    other: ["Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n"],
  },
  {
    line: "python -m pytest -q",
    recorded:
      "F.x\n=== FAILURES ===\n___ test_add ___\nat 0x1\nFAILED t.py::test_add - assert 1\n=== 1 failed, 2 passed in 0.12s ===\n",
    same: "F.x\n=== FAILURES ===\n___ test_add ___\nat 0x2\nFAILED t.py::test_add - assert 1\n=== 1 failed, 2 passed in 1.12s ===\n",
    other: [
      "...\n3 passed in 0.1s\n",
      "___ test_sub ___\nFAILED t.py::test_sub - x\n1 failed, 2 passed in 0.12s\n",
      "1 failed, 3 passed in 1s\n",
    ],
  },
  {
    line: "cargo test",
    recorded:
      "test b ... FAILED\ntest a ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
    same: "test a ... ok\ntest b ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n",
    other: [
      "test a ... FAILED\ntest b ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n",
      "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n",
    ],
  },
  {
    line: "python3 -m unittest discover",
    recorded: "FAIL: test_a (t.T.test_a)\n at 0x1\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n",
    same: "FAIL: test_a (t.T.test_a)\n at 0x2\nRan 2 tests in 0.002s\n\nFAILED (failures=1)\n",
    other: [
      "Ran 2 tests in 0.001s\n\nOK\n",
      "FAIL: test_b (t.T.test_b)\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n",
    ],
  },
  {
    line: "npm test",
    recorded:
      "\u2716 adds (1.2ms)\n\u2139 tests 2\n\u2139 pass 1\n\u2139 fail 1\n\u2139 duration_ms 60.1\npid 1\n",
    same: "\u2716 adds (1.4ms)\n\u2139 tests 2\n\u2139 pass 1\n\u2139 fail 1\n\u2139 duration_ms 61.1\npid 2\n",
    other: [
      "\u2139 tests 2\n\u2139 pass 2\n\u2139 fail 0\n",
      "\u2716 subs (1.2ms)\n\u2139 tests 2\n\u2139 pass 1\n\u2139 fail 1\n",
    ],
  },
];

describe.each(samples)("results of $line", ({ line, recorded, same, other }) => {
  it("the same totals and failed tests match", () => {
    expect(matchOf(line, recorded, same)?.compared).toBe("results");
  });

  it("another total, or another failed test, stays different", () => {
    for (const now of other) {
      expect(matchOf(line, recorded, now)).toBeUndefined();
      expect(matchOf(line, now, recorded)).toBeUndefined();
    }
  });

  it.each(["echo ok", `${line}; make lint`, `${line}; cat log`, `${line} > log`, `cat log; ${line}`])(
    "%s prints something else, or nothing of it",
    (lineWithMore) => {
      expect(matchOf(lineWithMore, recorded, same)).toBeUndefined();
    },
  );
});

describe("results", () => {
  it("a run without a summary has no result", () => {
    expect(matchOf("go test ./...", "build a\n", "build b\n")).toBeUndefined();
    expect(matchOf("npm test", "a\n", "b\n")).toBeUndefined();
  });

  it("a script has the result of one runner, not of two", () => {
    expect(matchOf("npm test", "1 passed in 1s\n", "\u2139 tests 1\n\u2139 pass 1\n")).toBeUndefined();
  });
});
