// The last lines of a test run: nothing is skipped without a word.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository, run } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";

it("the end of a test run counts suites that have no test, and says what each of them needs", () => {
  const folder = tempFolder();
  const needs = join(repository, "dev/needs.js");
  const files = {
    "vitest.config.mjs": `export default { test: { reporters: [${JSON.stringify(join(repository, "test/reporter.ts"))}] } };`,
    "empty.test.ts": `import { it } from "vitest"; import { describeWith, realLogs } from "${needs}";
      describeWith([realLogs([])], "alone", () => it.each([])("each", () => {}));`,
    "beside.test.ts": `import { describe, expect, it } from "vitest"; import { describeWith, realLogs } from "${needs}";
      it("passes", () => expect(1).toBe(1));
      describe("outer", () => {
        it("passes as well", () => expect(1).toBe(1));
        describeWith([realLogs([])], "inner", () => describe("innermost", () => it.each([])("each", () => {})));
      });
      describe.skip("without a reason", () => it.each([])("each", () => {}));`,
  };
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(folder, name), text);
  fs.symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  const vitest = join(repository, "node_modules/vitest/vitest.mjs");
  const { stdout } = run(process.execPath, [vitest, "run", "--root", folder], { cwd: folder });
  expect(stdout.trim().split("\n").slice(-3).sort()).toEqual([
    "1 skipped: beside.test.ts has no test to run",
    "2 passed, 0 failed, 3 skipped",
    "2 skipped: needs real logs, in the folder that CTX_SAMPLES names",
  ]);
});
