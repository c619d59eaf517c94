// Writes the files of a commit into a workspace. Git runs in the user's own repository and only reads
// objects: it never runs in a workspace, where a pack could have left hooks and settings for it.
import { CtxError } from "../base/errors.js";
import { halfOfFreeSpace } from "./fill-workspace.js";
import { git, prefixOf, type Repository } from "./repository.js";
import type { Workspace } from "./workspace.js";

/** Writes the files of a commit into a workspace, and returns notices for the user. */
export function writeCommit(repository: Repository, commit: string, workspace: Workspace): string[] {
  const notices: string[] = [];
  const files: { mode: string; id: string; size: number; path: string }[] = [];
  const folder = `${commit}:${prefixOf(repository)}`;
  const listing = git(repository, ["ls-tree", "-r", "-z", "-l", "--full-tree", folder]).toString("utf8");
  for (const line of listing.split("\0").filter((entry) => entry !== "")) {
    const [, mode = "", type = "", id = "", size = "", path = ""] =
      /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    // No checkout has these; steps would find a repository of the tree's making.
    if (path.split("/").some((part) => part.toLowerCase() === ".git")) continue;
    if (type === "blob") files.push({ mode, id, size: Number(size), path });
    else notices.push(`${path} is a repository of its own, and is left out`);
  }
  // Git keeps equal files once: a small repository can have a commit of any size.
  const size = files.reduce((total, file) => total + file.size, 0);
  const room = halfOfFreeSpace(workspace.root);
  if (size > room)
    throw new CtxError(
      "io",
      `the files of the commit take ${size} bytes, and half of what is free in the temporary folder is ${room}`,
      { hint: "set TMPDIR to a folder on a larger disk" },
    );
  for (const batch of inBatches(files, ({ size }) => size)) {
    const contents = readBlobs(
      repository,
      batch.map(({ id }) => id),
    );
    batch.forEach(({ mode, path }, at) => {
      const bytes = contents[at];
      if (bytes === undefined)
        return void notices.push(`${path} is left out: the repository does not have its content`);
      if (mode !== "120000") workspace.write(path, bytes, { mode: mode === "100755" ? 0o755 : 0o644 });
      else workspace.link(path, bytes);
    });
  }
  return notices;
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

/** Returns the contents of blobs; undefined for one that a partial clone lacks. */
function readBlobs(repository: Repository, ids: readonly string[]): (Buffer | undefined)[] {
  const bytes = git(repository, ["cat-file", "--batch"], ids.map((id) => `${id}\n`).join(""));
  let at = 0;
  return ids.map(() => {
    const end = bytes.indexOf("\n", at);
    const size = Number(bytes.toString("latin1", at, end).split(" ")[2]);
    if (!Number.isSafeInteger(size)) {
      at = end + 1;
      return undefined;
    }
    at = end + 1 + size + 1;
    return bytes.subarray(end + 1, end + 1 + size);
  });
}
