// Finds the commit that a run started from, and says how sure that is. `sure` is never to be wrong: content
// alone can fit a commit by accident, so the branch and the dates have to agree with it.
import type { Reference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { addTo } from "../base/lists.js";
import type { Manifest } from "../model/manifest.js";
import type { ReplayTree } from "../results/replay.js";
import { type Candidates, lineFrom, listCandidates, maxCandidates, refsOfBranch } from "./candidates.js";
import { HeldWitnesses } from "./held-witnesses.js";
import {
  type Commit,
  commitFormat,
  commitNamed,
  git,
  parseCommits,
  prefixOf,
  type Repository,
  resolveRevision,
} from "./repository.js";
import { type SessionGit, sessionGit } from "./session-git.js";
import { type Witness, witnessesOf } from "./witnesses.js";

/** How long the search may take. */
const maxSearch = 10_000;
/** Clocks of two machines differ by less. */
const clockSkew = 120;
/** A commit is sure only with this many witnesses. */
const fewestWitnesses = 3;

export interface FoundCommit {
  tree: ReplayTree;
  session: SessionGit;
}

export interface FindOptions {
  /** A revision, or `auto`. */
  revision: string;
  /** Returns a content of the pack; undefined if it is missing. */
  read: (reference: Reference) => Buffer | undefined;
  /** How long the search may take, in milliseconds. */
  time?: number;
}

/**
 * Returns the commit of a revision; for `auto`, the one that the run started from, as far as it can be known.
 */
export async function findCommit(
  repository: Repository,
  manifest: Manifest,
  { revision, read, time = maxSearch }: FindOptions,
): Promise<FoundCommit> {
  const deadline = Date.now() + time;
  const session = sessionGit(manifest, read);
  const { witnesses, isCut } = witnessesOf(manifest, read);
  const held = new HeldWitnesses(repository, prefixOf(repository), witnesses);
  try {
    if (revision === "auto") {
      const search = new CommitSearch(repository, { session, witnesses, isCut, held, deadline });
      return { session, tree: await search.run() };
    }
    const commit = commitOf(repository, resolveRevision(repository, revision));
    const counts = await held.count([commit], deadline);
    const holds = counts.get(commit.id) ?? 0;
    return { session, tree: { commit: commit.id, how: "named", holds, of: witnesses.length } };
  } finally {
    held.close();
  }
}

function commitOf(repository: Repository, id: string): Commit {
  const text = git(repository, ["rev-list", "--no-walk", "--max-count=1", commitFormat, id]).toString("utf8");
  const [commit] = parseCommits(text);
  if (commit === undefined) throw new CtxError("not-found", `git cannot read the commit ${id}`);
  return commit;
}

interface SearchFacts {
  session: SessionGit;
  witnesses: readonly Witness[];
  /** Whether the run has more witnesses. */
  isCut: boolean;
  held: HeldWitnesses;
  deadline: number;
}

class CommitSearch {
  readonly #repository: Repository;
  readonly #facts: SearchFacts;
  readonly #session: SessionGit;
  #candidates: Candidates = { commits: new Map(), later: new Map(), tips: new Map(), isCut: false };
  #counts = new Map<string, number>();
  #stopped: string | undefined;

  constructor(repository: Repository, facts: SearchFacts) {
    this.#repository = repository;
    this.#facts = facts;
    this.#session = facts.session;
  }

  async run(): Promise<ReplayTree> {
    const { held, deadline, witnesses } = this.#facts;
    this.#candidates = await listCandidates(this.#repository, { ...this.#session, deadline });
    const recorded = this.#recordedCommit();
    const proved = this.#proved();
    const possible = this.#possible();
    const extra = [recorded, proved].flatMap((commit) => commit ?? []);
    if (witnesses.length > 0 || extra.length > 0)
      this.#counts = await held.count([...extra, ...possible], deadline);
    this.#noteLimits(possible);
    const chosen =
      proved === undefined ? this.#byContent(possible, recorded) : { commit: proved, how: "proved" as const };
    if (chosen === undefined)
      throw new CtxError(
        "not-found",
        "no commit in the repository dates from the run or contains one of its files",
        {
          hint: "name one: --git <revision>",
        },
      );
    return this.#treeOf(chosen, recorded);
  }

  #treeOf(
    { commit, how }: { commit: Commit; how: ReplayTree["how"] },
    recorded: Commit | undefined,
  ): ReplayTree {
    const { recorded: id } = this.#session;
    return {
      commit: commit.id,
      how,
      holds: this.#counts.get(commit.id) ?? 0,
      of: this.#facts.witnesses.length,
      ...(id === undefined || id === commit.id
        ? {}
        : { recorded: { commit: id, holds: recorded === undefined ? null : (this.#counts.get(id) ?? 0) } }),
      ...(this.#stopped === undefined ? {} : { stopped: this.#stopped }),
    };
  }

  #noteLimits(possible: readonly Commit[]): void {
    const compared = possible.filter(({ id }) => this.#counts.has(id)).length;
    const isOver = this.#facts.witnesses.length > 0 && compared < possible.length;
    if (isOver) this.#stopped = `time ran out after ${compared} of ${possible.length} commits`;
    else if (this.#candidates.isCut) this.#stopped = `only ${maxCandidates} commits were compared`;
    else if (this.#facts.isCut)
      this.#stopped = `only ${this.#facts.witnesses.length} files and parts were compared`;
  }

  #recordedCommit(): Commit | undefined {
    const { recorded } = this.#session;
    const id = recorded === undefined ? undefined : commitNamed(this.#repository, recorded);
    return id === undefined ? undefined : commitOf(this.#repository, id);
  }

  /** Returns the parent of the first commit that the run made, or the HEAD that it printed. */
  #proved(): Commit | undefined {
    const { firstMade, printed, start, end } = this.#session;
    const made = firstMade === undefined ? undefined : commitNamed(this.#repository, firstMade.id);
    if (made !== undefined) {
      const commit = commitOf(this.#repository, made);
      const [parent] = commit.parents;
      const isOwn = commit.subject.trim() === firstMade?.subject && isWithin(commit.committed, start, end);
      const found = isOwn && parent !== undefined ? this.#earlier(parent) : undefined;
      if (found !== undefined) return found;
    }
    const head = printed === undefined ? undefined : commitNamed(this.#repository, printed);
    return head === undefined ? undefined : this.#earlier(head);
  }

  /** Returns a commit that was there when the run began. */
  #earlier(id: string): Commit | undefined {
    if (commitNamed(this.#repository, id) === undefined) return undefined;
    const commit = commitOf(this.#repository, id);
    return commit.committed <= this.#session.start + clockSkew ? commit : undefined;
  }

  /** Returns the candidates without the run's own commits, those near to its start first. */
  #possible(): Commit[] {
    const { made, start, end } = this.#session;
    const subjects = new Set(made.map(({ subject }) => subject));
    const isMade = (commit: Commit): boolean =>
      made.some(({ id }) => commit.id.startsWith(id)) ||
      // Its own commit, as a rebase made it again.
      (subjects.has(commit.subject.trim()) && isWithin(commit.authored, start, end));
    const all = [...this.#candidates.commits.values()];
    const own = new Set(all.filter(isMade).map(({ id }) => id));
    // What came after one of them has its changes.
    const children = new Map<string, string[]>();
    for (const { id, parents } of all) for (const parent of parents) addTo(children, parent, id);
    const remaining = [...own];
    for (let id = remaining.pop(); id !== undefined; id = remaining.pop())
      for (const child of children.get(id) ?? [])
        if (!own.has(child)) remaining.push(own.add(child) && child);
    const distance = ({ committed }: Commit): number =>
      committed <= start ? start - committed : 1e12 + (committed - start);
    return all.filter(({ id }) => !own.has(id)).sort((a, b) => distance(a) - distance(b));
  }

  #byContent(
    possible: readonly Commit[],
    recorded: Commit | undefined,
  ): { commit: Commit; how: ReplayTree["how"] } | undefined {
    const of = this.#facts.witnesses.length;
    const held = ({ id }: Commit): number => this.#counts.get(id) ?? 0;
    const most = [...possible, ...(recorded === undefined ? [] : [recorded])].reduce(
      (a, b) => Math.max(a, held(b)),
      0,
    );
    // Nothing was read: the record, or else the branch and the time.
    if (most === 0 && recorded !== undefined) return { commit: recorded, how: of === 0 ? "likely" : "guess" };
    const best = possible.filter((commit) => held(commit) === most);
    if (this.#isSure(best, most)) return { commit: best[0] as Commit, how: "sure" };
    const isEnough = most > 0 && most * 2 >= of;
    const graded = (commit: Commit, isSettled: boolean): { commit: Commit; how: ReplayTree["how"] } => ({
      commit,
      how: isEnough && isSettled ? "likely" : "guess",
    });
    if (recorded !== undefined && held(recorded) === most) return graded(recorded, true);
    // The list begins with the last commit before the start.
    const [nearest] = best;
    if (nearest === undefined) return undefined;
    const onBranch = this.#branchCommits();
    const settled = best.find(({ id }) => onBranch.has(id));
    const isTie = best.some(({ tree }) => tree !== nearest.tree);
    return graded(settled ?? nearest, settled !== undefined || !isTie);
  }

  /** Returns the commits on the first-parent lines of the recorded branch. */
  #branchCommits(): Set<string> {
    const { branch } = this.#session;
    const refs = branch === undefined ? [] : refsOfBranch(this.#candidates, branch);
    return new Set(
      refs.flatMap((ref) =>
        [...lineFrom(this.#candidates, this.#candidates.tips.get(ref) ?? "")].map(({ id }) => id),
      ),
    );
  }

  /**
   * Returns whether the first of the best commits is the one for certain: every witness holds, in no other
   * tree of the time, and the branch was at this commit when the run began, as far as its dates say.
   */
  #isSure(best: readonly Commit[], most: number): boolean {
    const { witnesses } = this.#facts;
    const { start, branch } = this.#session;
    const [commit] = best;
    if (commit === undefined || most < witnesses.length || witnesses.length < fewestWitnesses) return false;
    if (this.#stopped !== undefined || commit.committed > start) return false;
    // A commit that was made again later, by a rebase, stands for one of the time that may be gone.
    const ofTheTime = best.filter(({ authored, committed }) => Math.min(authored, committed) <= start);
    if (ofTheTime.some(({ tree }) => tree !== commit.tree)) return false;
    // Without a branch, a checkout with changed files looks like another commit that has them.
    const refs = branch === undefined ? [] : refsOfBranch(this.#candidates, branch);
    const own = refs.filter((ref) => ref === `refs/heads/${branch ?? ""}`);
    return refs.length > 0 && (own.length > 0 ? own : refs).every((ref) => this.#wasTip(ref, commit));
  }

  /**
   * Returns whether a commit was the last one of a reference when the run began, and is still on its line.
   */
  #wasTip(ref: string, commit: Commit): boolean {
    const { start } = this.#session;
    for (const { id, authored, committed } of lineFrom(
      this.#candidates,
      this.#candidates.tips.get(ref) ?? "",
    )) {
      if (id === commit.id) return true;
      // Also one that was made again since, by a rebase: then the original was there.
      if (Math.min(authored, committed) <= start) return false;
    }
    return false;
  }
}

function isWithin(time: number, from: number, to: number): boolean {
  return time >= from - clockSkew && time <= to + clockSkew;
}
