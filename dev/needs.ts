// Suites that need a program which not every machine has. Without it they are skipped, and the last lines of the test run
// say what to install; with CTX_TEST_ALL set, as in CI, they fail instead.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

export interface Need {
  /** What to install, as Debian calls it. */
  install: string;
  isThere(): boolean;
}

/** A program that must be on the PATH and answer to `--version`. */
export function program(name: string, install = name): Need {
  return { install, isThere: () => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0 };
}

/** A process namespace of one's own, as containers have. */
export const namespaces: Need = {
  install: "util-linux, and root",
  isThere: () =>
    spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "--uts", "true"], { stdio: "ignore" }).status ===
    0,
};

/** Describes a suite that runs only where everything it needs is there. */
export function describeWith(needs: readonly Need[], name: string, suite: () => void): void {
  const missing = needs.filter((need) => !need.isThere()).map((need) => need.install);
  if (missing.length === 0) describe(name, suite);
  else if (process.env["CTX_TEST_ALL"] === undefined)
    describe.skip(`${name} [needs: ${missing.join(", ")}]`, suite);
  else
    describe(name, () =>
      it("can run", () => expect(missing, "install these: CTX_TEST_ALL is set").toEqual([])),
    );
}
