// Where git keeps things in the repository that a folder belongs to.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

export interface GitPaths {
  /** The folder of the repository. */
  top: string;
  /** The script that git runs after a commit. */
  postCommit: string;
  /** There while commits are being made one after the other. */
  rebasing: string[];
}

/** Undefined where there is no repository, or no git. */
export function gitPaths(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): GitPaths | undefined {
  const args = [
    "--show-toplevel",
    "--git-path",
    "hooks/post-commit",
    "--git-path",
    "rebase-merge",
    "--git-path",
    "rebase-apply",
  ];
  const { status, stdout } = spawnSync("git", ["rev-parse", ...args], {
    cwd: folder,
    encoding: "utf8",
    // What git sets for its hooks would lead to the repository that these are of.
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_"))),
    timeout: 10_000,
  });
  const [top = "", hook = "", ...rebasing] = stdout?.split("\n").filter(Boolean) ?? [];
  // A line feed in a path would make others of them.
  if (status !== 0 || rebasing.length !== 2) return undefined;
  return { top, postCommit: resolve(folder, hook), rebasing: rebasing.map((path) => resolve(folder, path)) };
}
