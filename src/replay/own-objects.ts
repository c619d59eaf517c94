// Whether a repository has its objects in its own folder. One that came from a stranger, in an archive, can name the
// folder of another repository of the user's, whose files a replay would then read.
import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { appendAll } from "../base/lists.js";
import { type Repository, tryGit } from "./repository.js";
import { isIn } from "./sandbox-dir.js";

/** Returns a folder outside of a repository in which git would read objects; undefined if there is none. */
export function objectsElsewhere(repository: Repository): string | undefined {
  // Not what git calls the top: the repository's own settings can move that.
  const top = topAround(repository.folder);
  const { status, stdout } = tryGit(repository, ["rev-parse", "--absolute-git-dir", "--git-common-dir"]);
  if (status !== 0) return undefined;
  const [own = "", named = ""] = stdout.toString("utf8").split("\n");
  const common = realPath(resolve(repository.folder, named));
  const objects = join(common, "objects");
  const home = top === undefined ? [realPath(own)] : [realPath(top)];
  if (top !== undefined && isLinked(top, realPath(own), common)) home.push(common);
  return [realPath(own), common, ...foldersOf(objects)].find(
    (folder) => !home.some((one) => isIn(folder, one)),
  );
}

/** Returns the folder that has the `.git` which git finds; undefined for a repository without one. */
function topAround(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (fs.lstatSync(join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Returns where a folder of objects really is, what links in it lead to, and the folders that it borrows from. */
function foldersOf(objects: string): string[] {
  const found: string[] = [];
  // The loop also visits what it adds; the real paths keep a link to a folder above from adding more and more.
  const folders = new Set([realPath(objects)]);
  for (const folder of folders) {
    const links = [folder, join(folder, "pack")].flatMap((parent) =>
      namesIn(parent).flatMap((entry) => (entry.isSymbolicLink() ? realPath(join(parent, entry.name)) : [])),
    );
    appendAll(found, [folder, realPath(join(folder, "info")), ...links]);
    for (const line of alternatesOf(folder)) {
      // Git removes the quotes; as it stands, the path is in no folder.
      if (line.startsWith('"')) found.push(line);
      else folders.add(realPath(resolve(folder, line)));
    }
  }
  return found;
}

/** Returns the lines that name other folders of objects. */
function alternatesOf(objects: string): string[] {
  const file = join(objects, "info/alternates");
  const lines = (fs.existsSync(file) ? fs.readFileSync(file).toString("utf8") : "").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

function namesIn(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns whether the other repository says, too, that the folder is a worktree or a submodule of its own. */
function isLinked(top: string, own: string, common: string): boolean {
  const back = join(own, "gitdir");
  if (dirname(own) === join(common, "worktrees") && fs.existsSync(back))
    return realPath(fs.readFileSync(back).toString("utf8").trim()) === realPath(join(top, ".git"));
  const settings = join(own, "config");
  const worktree = fs.existsSync(settings)
    ? /^\s*worktree\s*=\s*(.+)$/m.exec(fs.readFileSync(settings).toString("utf8"))?.[1]
    : undefined;
  return own === common && worktree !== undefined && realPath(resolve(own, worktree)) === realPath(top);
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
}
