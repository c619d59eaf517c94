// Paths that git uses in the repository of a folder.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

export interface GitPaths {
  /** The top folder of the repository's work tree. */
  top: string;
  /** The script that git runs after a commit. */
  postCommit: string;
  /** Folders that exist while git makes several commits in a row, as in a rebase. */
  rebasing: string[];
}

/** Returns the paths, or undefined if there is no repository or no git. */
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
    // Git sets GIT_* variables for its hooks; they would lead to the repository that the hook belongs to.
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_"))),
    timeout: 10_000,
  });
  const [top = "", hook = "", ...rebasing] = stdout?.split("\n").filter(Boolean) ?? [];
  // A path that contains a line feed would be split into several.
  if (status !== 0 || rebasing.length !== 2) return undefined;
  return { top, postCommit: resolve(folder, hook), rebasing: rebasing.map((path) => resolve(folder, path)) };
}
