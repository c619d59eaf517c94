// Runs git in a user's repository, and only to read objects: no hook, filter, pager, signature check, lazy
// fetch or helper that the repository's own settings name can start.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { CtxError } from "../base/errors.js";

export interface Repository {
  /** A folder in the repository. */
  folder: string;
  /** The user's PATH and HOME. */
  path: string;
  home: string;
}

/** A commit, as its object says. */
export interface Commit {
  id: string;
  tree: string;
  parents: string[];
  /** Seconds since 1970. */
  authored: number;
  committed: number;
  subject: string;
}

/** Runs git, and throws if it fails. */
export function git(repository: Repository, args: readonly string[], input?: string): Buffer {
  const { status, stdout, stderr, error } = tryGit(repository, args, input);
  if (error === undefined && status === 0) return stdout;
  const complaint = error?.message ?? stderr.toString("utf8").trim().split("\n")[0] ?? "";
  throw new CtxError("not-found", `git cannot find the revision: ${complaint.replace(/^fatal: /, "")}`, {
    hint: "--git needs git, and a repository around the store",
  });
}

/** Runs git, and returns how it ended. */
export function tryGit(
  repository: Repository,
  args: readonly string[],
  input = "",
): ReturnType<typeof spawnSync> & { stdout: Buffer; stderr: Buffer } {
  return spawnSync("git", safeArgs(repository, args), {
    env: readingEnvironment(repository),
    input,
    maxBuffer: 1 << 30,
  });
}

/** Starts git; its input and output are pipes. */
export function startGit(repository: Repository, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn("git", safeArgs(repository, args), { env: readingEnvironment(repository) });
  // The reader of its output notices when it ends early.
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.stderr.resume();
  return child;
}

export function resolveRevision(repository: Repository, revision: string): string {
  return git(repository, ["rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`])
    .toString("latin1")
    .trim();
}

/** Returns the commit that a whole or cut id names; undefined if there is none, or more than one. */
export function commitNamed(repository: Repository, id: string): string | undefined {
  if (!/^[0-9a-f]{4,64}$/.test(id)) return undefined;
  const { status, stdout } = tryGit(repository, [
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${id}^{commit}`,
  ]);
  const found = stdout.toString("latin1").trim();
  // A branch may be named like an id.
  return status === 0 && found.startsWith(id) ? found : undefined;
}

/**
 * Returns the path of the folder in the repository, and so of the run: empty, or with a trailing slash.
 */
export function prefixOf(repository: Repository): string {
  return git(repository, ["rev-parse", "--show-prefix"]).toString("utf8").replace(/\n$/, "");
}

/** What `rev-list --format` prints of a commit, as `parseCommits` reads it. */
export const commitFormat = "--format=%H%x00%T%x00%P%x00%at%x00%ct%x00%s";

/** Reads the output of `rev-list` with `commitFormat`. */
export function parseCommits(text: string): Commit[] {
  return text.split("\n").flatMap((line): Commit[] => {
    const [id, tree, parents, authored, committed, subject] = line.split("\0");
    if (id === undefined || tree === undefined || subject === undefined) return [];
    return [
      {
        id,
        tree,
        parents: parents === undefined || parents === "" ? [] : parents.split(" "),
        authored: Number(authored),
        committed: Number(committed),
        subject,
      },
    ];
  });
}

function safeArgs({ folder }: Repository, args: readonly string[]): string[] {
  return [
    "--no-replace-objects",
    "--no-pager",
    ...["core.hooksPath=/dev/null", "core.fsmonitor=false", "log.showSignature=false"].flatMap((setting) => [
      "-c",
      setting,
    ]),
    "-C",
    folder,
    ...args,
  ];
}

function readingEnvironment({ path, home }: Repository): Record<string, string> {
  return {
    PATH: path,
    HOME: home,
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    // A partial clone fetches what it lacks from a remote whose program its settings name. Older versions of
    // git do not read the first of these; no protocol has the name of the second.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    // Grafts replace the parents of commits.
    GIT_GRAFT_FILE: "/dev/null",
  };
}
