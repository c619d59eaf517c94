// The commits that a run may have started from: those of every reference and reflog around its time.
import { appendAll } from "../base/lists.js";
import { type Commit, commitFormat, parseCommits, type Repository, startGit, tryGit } from "./repository.js";

export const maxCandidates = 20_000;
/** How many commits after the run are read. */
const maxLater = 200_000;
/** How long before the start of the run a commit may have been made: 120 days. */
const window = 120 * 86_400;

export interface Candidates {
  commits: ReadonlyMap<string, Commit>;
  /** Commits that were made after the run: a branch leads through them to those of its time. */
  later: ReadonlyMap<string, Commit>;
  /** The commits that references name, by the whole names of these. */
  tips: ReadonlyMap<string, string>;
  /** Whether there were more commits than were listed. */
  isCut: boolean;
}

/** Lists commits with a date in the window, those that references name, and the parents of all of them. */
export async function listCandidates(
  repository: Repository,
  { start, end, deadline }: { start: number; end: number; deadline: number },
): Promise<Candidates> {
  const tips = refsOf(repository);
  const commits = new Map<string, Commit>();
  const everything = ["--exclude=refs/stash", "--exclude=refs/notes/*", "--all", "--reflog", "HEAD"];
  const bounded = [`--since=${start - window}`, commitFormat, ...everything];
  // First those of the time, then those that were made anew later, such as by a rebase.
  const ofTheTime = await list(repository, [`--until=${end}`, ...bounded], {
    limit: maxCandidates,
    deadline,
  });
  for (const commit of ofTheTime.commits) commits.set(commit.id, commit);
  const later = await list(repository, [`--since=${end + 1}`, ...bounded.slice(1)], {
    limit: maxLater,
    deadline,
  });
  for (const commit of later.commits)
    if (commit.authored <= end && commits.size < maxCandidates) commits.set(commit.id, commit);
  // A branch may be older than the window, and so may the last commit before it.
  const missing = new Set([...tips.values(), ...[...commits.values()].flatMap(({ parents }) => parents)]);
  const edge = [...missing].filter((id) => !commits.has(id)).slice(0, maxCandidates);
  if (edge.length > 0) {
    const text = tryGit(
      repository,
      ["rev-list", "--no-walk=unsorted", "--stdin", commitFormat],
      edge.join("\n"),
    );
    for (const commit of parseCommits(text.stdout.toString("utf8")))
      if (commit.authored <= end || commit.committed <= end) commits.set(commit.id, commit);
  }
  const newer = new Map(later.commits.map((commit) => [commit.id, commit]));
  return { commits, later: newer, tips, isCut: ofTheTime.isCut || later.isCut };
}

function refsOf(repository: Repository): Map<string, string> {
  const format = "--format=%(objectname) %(objecttype) %(*objectname) %(refname)";
  const lines = tryGit(repository, ["for-each-ref", format]).stdout.toString("utf8").split("\n");
  const found = new Map<string, string>();
  for (const line of lines) {
    const [, id = "", type, peeled = "", name = ""] = /^(\S+) (\S+) (\S*) (.+)$/.exec(line) ?? [];
    if (name === "" || name === "refs/stash" || name.startsWith("refs/notes/")) continue;
    if (type === "commit") found.set(name, id);
    else if (peeled !== "") found.set(name, peeled);
  }
  const head = tryGit(repository, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    .stdout.toString("latin1")
    .trim();
  if (head !== "") found.set("HEAD", head);
  return found;
}

/** Runs `rev-list`, and reads it until there are enough commits or the time is over. */
async function list(
  repository: Repository,
  args: readonly string[],
  { limit, deadline }: { limit: number; deadline: number },
): Promise<{ commits: Commit[]; isCut: boolean }> {
  const child = startGit(repository, ["rev-list", ...args]);
  child.stdin.end();
  const commits: Commit[] = [];
  let isCut = false;
  let rest = "";
  child.stdout.setEncoding("utf8");
  const timer = setTimeout(() => child.kill("SIGKILL"), Math.max(0, deadline - Date.now()));
  try {
    for await (const chunk of child.stdout) {
      const lines = `${rest}${chunk as string}`;
      const end = lines.lastIndexOf("\n");
      rest = lines.slice(end + 1);
      appendAll(commits, parseCommits(lines.slice(0, end)));
      if (commits.length > limit || Date.now() > deadline) {
        isCut = true;
        break;
      }
    }
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
  return { commits: commits.slice(0, limit), isCut: isCut || Date.now() > deadline };
}

/** Returns the references that may be the recorded branch: here, and as remotes have it. */
export function refsOfBranch({ tips }: Candidates, branch: string): string[] {
  return [...tips.keys()].filter(
    (name) =>
      name === `refs/heads/${branch}` || (name.startsWith("refs/remotes/") && isRemoteOf(name, branch)),
  );
}

function isRemoteOf(name: string, branch: string): boolean {
  const rest = name.slice("refs/remotes/".length);
  return rest.endsWith(`/${branch}`) && rest.length > branch.length + 1;
}

/** Yields the first-parent line from a commit, as far as it was listed. */
export function* lineFrom({ commits, later }: Candidates, tip: string): Generator<Commit> {
  const seen = new Set<string>();
  for (let id: string | undefined = tip; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const commit: Commit | undefined = commits.get(id) ?? later.get(id);
    if (commit === undefined) return;
    yield commit;
    [id] = commit.parents;
  }
}
