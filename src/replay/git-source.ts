// Uses a revision of the repository around the store as the base of a workspace. Git runs in the user's own
// repository and only reads objects: it never runs in a workspace, where a pack could have left hooks and
// settings for it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { CtxError } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import type { Workspace } from "./workspace.js";

export interface Repository {
  /** A folder in the repository. */
  folder: string;
  /** The user's PATH and HOME. */
  path: string;
  home: string;
}

/**
 * Returns the commit of a revision; for `auto`, the recorded one, or else the one that contains most of the
 * recorded inputs.
 */
export function findCommit(
  repository: Repository,
  revision: string,
  manifest: Manifest,
  readInput: (index: number) => Buffer | undefined,
): { commit: string; why: string } {
  if (revision !== "auto") return { commit: resolveRevision(repository, revision), why: revision };
  const recorded = recordedCommit(manifest);
  if (recorded !== undefined && hasCommit(repository, recorded))
    return { commit: recorded, why: "the recorded commit" };
  const best = bestMatch(repository, manifest, readInput);
  if (best !== undefined) return best;
  throw new CtxError("not-found", "no revision of the repository holds any of the run's inputs", {
    hint: "name one: --git <revision>",
  });
}

/** Writes the files of a commit into a workspace, and returns notices for the user. */
export function writeCommit(repository: Repository, commit: string, workspace: Workspace): string[] {
  const notices: string[] = [];
  const files: { mode: string; id: string; size: number; path: string }[] = [];
  const folder = `${commit}:${prefixOf(repository)}`;
  const listing = git(repository, ["ls-tree", "-r", "-z", "-l", "--full-tree", folder]).toString("utf8");
  for (const line of listing.split("\0").filter((entry) => entry !== "")) {
    const [, mode = "", type = "", id = "", size = "", path = ""] =
      /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    if (type === "blob") files.push({ mode, id, size: Number(size), path });
    else notices.push(`${path} is a repository of its own, and is left out`);
  }
  for (const batch of inBatches(files, ({ size }) => size)) {
    const contents = readBlobs(
      repository,
      batch.map(({ id }) => id),
    );
    batch.forEach(({ mode, path }, at) => {
      const bytes = contents[at] as Buffer;
      if (mode !== "120000") workspace.write(path, bytes, { mode: mode === "100755" ? 0o755 : 0o644 });
      else workspace.link(path, bytes);
    });
  }
  return notices;
}

function recordedCommit({ metadata }: Manifest): string | undefined {
  const objects = [metadata, metadata?.["git"], metadata?.["source"]];
  for (const object of objects) {
    if (typeof object !== "object" || object === null || Array.isArray(object)) continue;
    for (const key of ["commit", "commit_hash", "revision"]) {
      const value = Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
      if (typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value)) return value;
    }
  }
  return undefined;
}

/** Maximum number of revisions and inputs to examine. */
const maxRevisions = 500;
const maxInputs = 200;

function bestMatch(
  repository: Repository,
  { inputs }: Manifest,
  readInput: (index: number) => Buffer | undefined,
): { commit: string; why: string } | undefined {
  const sought = inputs.slice(0, maxInputs).flatMap(({ name }, index) => {
    const bytes = name.includes("\n") ? undefined : readInput(index);
    return bytes === undefined ? [] : { name, id: blobId(bytes) };
  });
  const commits = git(repository, ["rev-list", "--all", `--max-count=${maxRevisions}`])
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
  const prefix = prefixOf(repository);
  const objectNames = commits
    .flatMap((commit) => sought.map(({ name }) => `${commit}:${prefix}${name}\n`))
    .join("");
  const found = git(repository, ["cat-file", "--batch-check=%(objectname)"], objectNames)
    .toString("utf8")
    .split("\n");
  let best = { commit: "", count: 0 };
  commits.forEach((commit, at) => {
    const count = sought.filter(({ id }, input) => found[at * sought.length + input] === id).length;
    if (count > best.count) best = { commit, count };
  });
  if (best.count === 0) return undefined;
  return { commit: best.commit, why: `holds ${best.count} of ${inputs.length} inputs` };
}

/**
 * Returns the path of the store's folder, and so of the run, in the repository: empty, or with a trailing
 * slash.
 */
function prefixOf(repository: Repository): string {
  return git(repository, ["rev-parse", "--show-prefix"]).toString("utf8").replace(/\n$/, "");
}

function blobId(bytes: Buffer): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

function resolveRevision(repository: Repository, revision: string): string {
  return git(repository, ["rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`])
    .toString("latin1")
    .trim();
}

function hasCommit(repository: Repository, commit: string): boolean {
  return run(repository, ["cat-file", "-e", `${commit}^{commit}`]).status === 0;
}

/** Yields a few items at a time: a repository may be larger than memory. */
function* inBatches<T>(items: readonly T[], sizeOf: (item: T) => number): Generator<T[]> {
  let batch: T[] = [];
  let size = 0;
  for (const item of items) {
    batch.push(item);
    size += sizeOf(item);
    if (size < 1 << 26 && batch.length < 5000) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function readBlobs(repository: Repository, ids: readonly string[]): Buffer[] {
  const bytes = git(repository, ["cat-file", "--batch"], ids.map((id) => `${id}\n`).join(""));
  let at = 0;
  return ids.map((id) => {
    const end = bytes.indexOf("\n", at);
    const size = Number(bytes.toString("latin1", at, end).split(" ")[2]);
    if (!Number.isSafeInteger(size)) throw new CtxError("io", `git does not have the object ${id}`);
    at = end + 1 + size + 1;
    return bytes.subarray(end + 1, end + 1 + size);
  });
}

function git(repository: Repository, args: readonly string[], input?: string): Buffer {
  const { status, stdout, stderr, error } = run(repository, args, input);
  if (error === undefined && status === 0) return stdout;
  const complaint = error?.message ?? stderr.toString("utf8").trim().split("\n")[0] ?? "";
  throw new CtxError("not-found", `git cannot find that: ${complaint.replace(/^fatal: /, "")}`, {
    hint: "--git needs git, and a repository around the store",
  });
}

function run(
  { folder, path, home }: Repository,
  args: readonly string[],
  input = "",
): ReturnType<typeof spawnSync> & { stdout: Buffer; stderr: Buffer } {
  return spawnSync("git", ["--no-replace-objects", "-C", folder, ...args], {
    env: {
      PATH: path,
      HOME: home,
      LC_ALL: "C",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "none",
    },
    input,
    maxBuffer: 1 << 30,
  });
}
