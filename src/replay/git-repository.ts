// Makes a real repository in a workspace, as it was when the run began: the history of the commit, the
// branch, and what remotes had. The user's git makes it in a fresh folder before the first step, and never
// enters it again: steps can leave hooks and settings there.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { CtxError, withPath } from "../base/errors.js";
import { makeFolders } from "../base/fs/make-folders.js";
import { git, parseCommits, commitFormat, type Repository, tryGit } from "./repository.js";
import type { SessionGit } from "./session-git.js";
import type { SandboxDir } from "./sandbox-dir.js";

/** How many commits from the first one on are there, on each line of history, and altogether. */
const depth = 200;
const maxCommits = 5000;
const maxRefs = 200;

interface Ref {
  name: string;
  /** The object that it names: a commit, or a tag's own object. */
  id: string;
  commit: string;
}

/** Makes `.git` in the workspace of a replay. */
export function makeRepository(
  repository: Repository,
  box: SandboxDir,
  { commit, session }: { commit: string; session: SessionGit },
): void {
  const folder = join(box.folder, "git");
  const branch = branchOf(session);
  const { refs, heads } = refsAtStart(repository, session);
  const history = historyOf(repository, [commit, ...refs.map(({ commit: id }) => id)]);
  const tags = tagsIn(repository, history.commits);
  const format = git(repository, ["rev-parse", "--show-object-format"]).toString("latin1").trim();
  const known = refs.filter(
    ({ commit: id, name }) => history.commits.has(id) && name !== `refs/heads/${branch ?? ""}`,
  );
  const all = [
    ...known,
    ...tags,
    ...(branch === undefined ? [] : [{ name: `refs/heads/${branch}`, id: commit, commit }]),
  ];
  for (const name of ["objects/pack", "objects/info", "refs/heads", "refs/tags", "info", "logs"])
    makeFolders(join(folder, name));
  const write = (name: string, text: string): void => {
    const path = join(folder, name);
    makeFolders(dirname(path));
    withPath(path, "write", () => fs.writeFileSync(path, text));
  };
  write("HEAD", branch === undefined ? `${commit}\n` : `ref: refs/heads/${branch}\n`);
  write("config", settingsOf(session, { branch, format, refs: known }));
  write("info/exclude", "");
  write("packed-refs", packedRefs(all));
  if (history.shallow.length > 0) write("shallow", history.shallow.map((id) => `${id}\n`).join(""));
  for (const { name, target } of heads)
    if (known.some((ref) => ref.name === target)) write(name, `ref: ${target}\n`);
  packObjects(repository, join(folder, "objects/pack/pack"), {
    shallow: history.shallow,
    tips: [commit, ...all.map(({ id }) => id)],
  });
  writeIndex(repository, folder, commit);
  const target = join(box.workspace, ".git");
  withPath(target, "make", () => fs.renameSync(folder, target));
}

/** Returns the recorded branch, if git accepts its name; else HEAD is detached. */
function branchOf({ branch }: SessionGit): string | undefined {
  if (branch === undefined || branch.length > 200) return undefined;
  const parts = branch.split("/");
  const isLegal = parts.every(
    (part) => /^[A-Za-z0-9_][A-Za-z0-9_.+@#=-]*$/.test(part) && !/\.\.|\.lock$|\.$|@\{/.test(part),
  );
  return isLegal && branch !== "HEAD" ? branch : undefined;
}

/** Returns `main` and the references of remotes, each at its last commit before the run began. */
function refsAtStart(
  repository: Repository,
  { start }: SessionGit,
): { refs: Ref[]; heads: { name: string; target: string }[] } {
  const format = "--format=%(objectname) %(objecttype) %(refname) %(symref)";
  const listed = ["refs/heads/main", "refs/heads/master", "refs/remotes"];
  const lines = git(repository, ["for-each-ref", "--sort=-committerdate", format, ...listed])
    .toString("utf8")
    .split("\n");
  const tips: Ref[] = [];
  const heads: { name: string; target: string }[] = [];
  for (const line of lines) {
    const [id = "", type, name = "", target = ""] = line.split(" ");
    if (!isRefName(name) || type !== "commit") continue;
    if (target !== "") {
      if (/^refs\/remotes\/[\w-][\w.-]*\/HEAD$/.test(name)) heads.push({ name, target });
    } else if (tips.length < maxRefs) tips.push({ name, id, commit: id });
  }
  const since = [`--since=${start + 1}`, `--max-count=${maxCommits * 4}`, commitFormat, "--stdin"];
  const later = new Map(
    tips.length === 0
      ? []
      : parseCommits(
          git(repository, ["rev-list", ...since], tips.map(({ id }) => id).join("\n")).toString("utf8"),
        ).map((commit) => [commit.id, commit]),
  );
  const refs = tips.flatMap(({ name, id }): Ref[] => {
    let commit: string | undefined = id;
    for (let newer = later.get(id); newer !== undefined; newer = later.get(commit ?? ""))
      [commit] = newer.parents;
    return commit === undefined ? [] : [{ name, id: commit, commit }];
  });
  return { refs, heads };
}

function isRefName(name: string): boolean {
  return /^refs\/[\x21-\x7e]+$/.test(name) && !/\.\.|[~^:?*[\\]|\/\.|\.lock(?:\/|$)/.test(name);
}

/** Returns the commits of a history that are not too deep, and those of them whose parents are left out. */
function historyOf(
  repository: Repository,
  tips: readonly string[],
): { commits: ReadonlySet<string>; shallow: string[] } {
  const args = ["rev-list", "--parents", `--max-count=${maxCommits}`, "--stdin"];
  const parents = new Map<string, string[]>();
  for (const line of git(repository, args, tips.join("\n")).toString("latin1").split("\n")) {
    const [id = "", ...before] = line.split(" ");
    if (id !== "") parents.set(id, before);
  }
  const commits = new Set(tips.filter((id) => parents.has(id)));
  let level = [...commits];
  for (let at = 1; at < depth && level.length > 0; at++) {
    const next = level
      .flatMap((id) => parents.get(id) ?? [])
      .filter((id) => parents.has(id) && !commits.has(id));
    level = [...new Set(next)];
    for (const id of level) commits.add(id);
  }
  const shallow = [...commits].filter(
    (id) => parents.get(id)?.some((parent) => !commits.has(parent)) === true,
  );
  return { commits, shallow };
}

function tagsIn(repository: Repository, commits: ReadonlySet<string>): Ref[] {
  const format = "--format=%(objectname) %(objecttype) %(refname) %(*objectname)";
  const lines = tryGit(repository, ["for-each-ref", "--count=2000", format, "refs/tags"])
    .stdout.toString("utf8")
    .split("\n");
  return lines.flatMap((line): Ref[] => {
    const [id = "", type, name = "", peeled = ""] = line.split(" ");
    const commit = type === "tag" ? peeled : id;
    return isRefName(name) && commits.has(commit) ? [{ name, id, commit }] : [];
  });
}

function packedRefs(refs: readonly Ref[]): string {
  const lines = refs
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, id, commit }) => `${id} ${name}\n${id === commit ? "" : `^${commit}\n`}`);
  return `# pack-refs with: peeled fully-peeled sorted \n${lines.join("")}`;
}

/**
 * Returns the settings: the recorded remote, the abbreviation of ids that the log shows, and nothing of the
 * user's.
 */
function settingsOf(
  session: SessionGit,
  { branch, format, refs }: { branch: string | undefined; format: string; refs: readonly Ref[] },
): string {
  const isSha256 = format === "sha256";
  const isTracked = branch !== undefined && refs.some(({ name }) => name === `refs/remotes/origin/${branch}`);
  const remotes = new Set([
    "origin",
    ...refs.flatMap(({ name }) => /^refs\/remotes\/([\w.-]+)\//.exec(name)?.[1] ?? []),
  ]);
  const lines = [
    "[core]",
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    "\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true",
    ...(session.abbreviation === undefined ? [] : [`\tabbrev = ${session.abbreviation}`]),
    ...(isSha256 ? ["[extensions]\n\tobjectformat = sha256"] : []),
    "[user]\n\tname = ctx\n\temail = ctx@localhost",
    // Nothing of it runs in the background of a step.
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false",
    ...[...remotes].map(
      (name) =>
        `[remote "${name}"]\n\turl = ${quoted(name === "origin" ? remoteUrl(session) : noRemote)}\n\tfetch = +refs/heads/*:refs/remotes/${name}/*`,
    ),
    ...(isTracked
      ? [`[branch ${quoted(branch)}]\n\tremote = origin\n\tmerge = ${quoted(`refs/heads/${branch}`)}`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

const noRemote = "ctx://none";

/** Returns the recorded address of the remote, without a user's name and password. */
function remoteUrl({ remote }: SessionGit): string {
  if (remote === undefined || /\p{Cc}/u.test(remote) || remote.length > 500) return noRemote;
  return remote.replace(/^([a-z+]+:\/\/)[^/@]*@/i, "$1");
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/**
 * Writes a pack with what the commits reach. What is packed is taken over as it is; loose objects are not
 * compressed again, which takes eight times as long for 100 MB.
 */
function packObjects(
  repository: Repository,
  base: string,
  { shallow, tips }: { shallow: readonly string[]; tips: readonly string[] },
): void {
  const lines = [...shallow.map((id) => `--shallow ${id}`), ...new Set(tips)];
  const options = ["--revs", "--quiet", "--window=0", "--delta-base-offset", "--missing=allow-any"];
  // Nothing in the workspace has to survive a power cut.
  const settings = ["-c", "pack.packSizeLimit=0", "-c", "pack.compression=0", "-c", "core.fsync=none"];
  git(repository, [...settings, "pack-objects", ...options, base], `${lines.join("\n")}\n`);
}

/**
 * Writes the index. Git runs with the settings just written, and with none of the user's or of the system.
 */
function writeIndex({ path }: Repository, folder: string, commit: string): void {
  const { status, stderr } = spawnSync(
    "git",
    [
      "-c",
      "core.hooksPath=/dev/null",
      "-c",
      "core.fsmonitor=false",
      `--git-dir=${folder}`,
      "read-tree",
      commit,
    ],
    {
      cwd: folder,
      env: {
        PATH: path,
        HOME: folder,
        LC_ALL: "C",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_ATTR_NOSYSTEM: "1",
        GIT_NO_LAZY_FETCH: "1",
        GIT_ALLOW_PROTOCOL: "none",
      },
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new CtxError("io", `git cannot write the index: ${stderr.split("\n")[0] ?? ""}`);
}
