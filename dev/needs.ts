// Requirements of some tests that not every machine meets. Without them the tests are skipped, and the last
// lines of the test run say how many and why (test/reporter.ts); with CTX_TEST_ALL set, as in CI, they fail
// instead.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { isExecutable } from "./built.js";
import { canMount } from "./mounts.js";

export interface Need {
  /** The thing, and how to get it, as the last lines of a test run print it. */
  name: string;
  isThere(): boolean;
  /** CI cannot install it: where it is missing, tests are skipped even with CTX_TEST_ALL. */
  isOptional?: boolean;
}

/** Debian's packages for programs whose package has another name. */
const packages: Record<string, string> = {
  bwrap: "bubblewrap",
  diff: "diffutils",
  "mkfs.btrfs": "btrfs-progs",
  "mkfs.ext4": "e2fsprogs",
  "mkfs.xfs": "xfsprogs",
  mkfifo: "coreutils",
  script: "bsdutils",
  taskset: "util-linux",
};

/**
 * Returns a program that must be on the PATH and answer to `--version`, and the Debian package that has it.
 */
export function program(name: string, debian = packages[name] ?? name): Need {
  return {
    name: `${name} (apt-get install ${debian})`,
    isThere: () => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
  };
}

export const root: Need = { name: "root", isThere: () => process.geteuid?.() === 0 };

export const mounts: Need = { name: "root, to mount file systems", isThere: canMount };

/** A process namespace of one's own, as containers have. */
export const namespaces: Need = {
  name: "root and util-linux, for namespaces",
  isThere: () =>
    spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "--uts", "true"], { stdio: "ignore" }).status ===
    0,
};

/** Returns a kind of machine, of Node or of test run; `name` says which. */
export function only(name: string, isThere: boolean): Need {
  return { name, isThere: () => isThere, isOptional: true };
}

export const linux = only("Linux", process.platform === "linux");

/** The program on Node, not an executable instead of it. */
export const onNode = only("the program on Node, not the executable of CTX_TEST_PROGRAM", !isExecutable);

/** Returns real agents' logs; see samples.ts. */
export function realLogs(found: { length: number }): Need {
  return only("real logs, in the folder that CTX_SAMPLES names", found.length > 0);
}

/** The end of a test's name that says why it is skipped, for the reporter; empty if nothing is missing. */
export function unmet(needs: readonly Need[]): string {
  const missing = needs.filter((need) => !need.isThere());
  return missing.length === 0 ? "" : ` [needs: ${missing.map(({ name }) => name).join("; ")}]`;
}

/** Describes a suite that runs only where nothing that it needs is missing. */
export function describeWith(needs: readonly Need[], name: string, suite: () => void): void {
  const missing = needs.filter((need) => !need.isThere());
  if (missing.length === 0) describe(name, suite);
  else if (mustRun(missing)) describe(name, () => it("can run", () => complain(missing)));
  else describe.skip(`${name}${unmet(missing)}`, suite);
}

/** The same for a single test. */
export function itWith(needs: readonly Need[], name: string, test: () => void | Promise<void>): void {
  const missing = needs.filter((need) => !need.isThere());
  if (missing.length === 0) it(name, test);
  else if (mustRun(missing)) it(name, () => complain(missing));
  else it.skip(`${name}${unmet(missing)}`, test);
}

function mustRun(missing: readonly Need[]): boolean {
  return process.env["CTX_TEST_ALL"] !== undefined && !missing.some(({ isOptional }) => isOptional);
}

function complain(missing: readonly Need[]): void {
  expect(
    missing.map(({ name }) => name),
    "CTX_TEST_ALL is set: this must be there",
  ).toEqual([]);
}
