// What git would do with a private store. `git pull` can bring files into it, or lines that no longer ignore
// it, and only git knows for sure.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError } from "../base/errors.js";
import { findProgram } from "../base/find-program.js";
import { findGit } from "./git-exclude.js";
import type { Store } from "./store.js";

export interface GitCall {
  /** Path of the git program, if it is installed. */
  program: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  folder: string;
}

/** Runs a git command that changes nothing and runs no program that a repository names. */
export function runGit(
  { program, env, folder }: GitCall,
  args: string[],
): { status: number | null; stdout: string } | undefined {
  if (program === undefined) return undefined;
  const { status, stdout } = spawnSync(program, ["-c", "core.fsmonitor=false", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" },
    timeout: 10_000,
    maxBuffer: 1 << 20,
  });
  return { status, stdout: stdout ?? "" };
}

/**
 * `tracked`: the next commit includes what changes in the store. `committable`: `git add` would add it.
 * `unknown`: git did not answer in time.
 */
export type Standing = "tracked" | "committable" | "unknown";

/**
 * Returns how a store is exposed to git; undefined if git ignores it. Where git refuses to work at all, it
 * commits nothing either.
 */
export function standingInGit({ root }: Store, git: GitCall): Standing | undefined {
  const real = fs.realpathSync(root);
  // On file systems that ignore case, `.CTX` is the same folder.
  const listed = runGit(git, ["ls-files", "-z", "--", `:(literal,icase)${real}`]);
  // A list that is too long ends early, and git with it.
  if (listed !== undefined && listed.stdout !== "") return "tracked";
  // The store's own .gitignore applies to the files in the store, not to its folder.
  const ignored = runGit(git, ["check-ignore", "-q", "--", join(real, "config.json")]);
  if (ignored?.status === 1) return "committable";
  return listed?.status === null || ignored?.status === null ? "unknown" : undefined;
}

/** What is wrong with a private store that git does not ignore, and what to do about it. */
const refusals: Readonly<Record<Standing, [why: string, hint: string]>> = {
  tracked: [
    "is in git, which would commit your sessions",
    "`git rm -r --cached .ctx` removes it from the next commit; `ctx doctor --fix --shared` shares it",
  ],
  committable: [
    "is not ignored by git, which would commit your sessions",
    "`ctx doctor --fix --private` adds it to its own .gitignore; `ctx doctor --fix --shared` shares it",
  ],
  unknown: ["may be in git: ctx could not ask git", "run `git ls-files .ctx` there to see why"],
};

/** Returns why sessions in this private store could get into a commit; undefined if they cannot. */
export function gitRefusal(store: Store, env: GitCall["env"]): CtxError | undefined {
  // Git sets GIT_* variables for its hooks; they would lead to the repository that the hook belongs to.
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_")));
  const git = findGit(store.root, store.folder, own);
  if (git === undefined) return undefined;
  const program = findProgram("git", own["PATH"] ?? "");
  // At the top, git finds the same repository as findGit. Below it, a folder may pose as a repository.
  const standing = standingInGit(store, { program, env: own, folder: git.top });
  if (standing === undefined) return undefined;
  const [why, hint] = refusals[standing];
  return new CtxError("store-unusable", `the store ${store.root} ${why}`, {
    hint,
    data: { path: store.root },
  });
}
