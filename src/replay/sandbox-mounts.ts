// What a program in the sandbox sees of this machine, and where. A change needs a run of
// test/system/sandbox-escapes.test.ts.
import * as fs from "node:fs";
import { join, posix } from "node:path";
import { listIfThere } from "../base/fs/files.js";
import {
  type SandboxDir,
  homeInside,
  isIn,
  mountPoint,
  type OwnFolders,
  startInside,
  workspaceInside,
} from "./sandbox-dir.js";

/** Returns the folders of recorded commands: what one leaves, the next one finds. */
export function sharedFolders(box: SandboxDir, folder: string, toolchains: readonly string[]): string[] {
  const inBox = (name: string): string => join(box.folder, name);
  const isFree = (bound: string): boolean => !isIn(bound, box.visiblePath) && !isIn(box.visiblePath, bound);
  return [
    isIn(box.visiblePath, "/tmp") ? memory("/tmp") : ["--bind", inBox("tmp"), "/tmp"],
    isIn(box.visiblePath, "/var/tmp") ? memory("/var/tmp") : ["--symlink", "/tmp", "/var/tmp"],
    ["--bind", inBox("home"), homeInside],
    bindable(box, toolchains)
      .filter(isFree)
      .flatMap((bound) => ["--ro-bind", bound, bound]),
    filesOutside(box, toolchains),
    ["--bind", box.workspace, box.visiblePath],
    box.dependencies.flatMap(({ folder: from, name }) => [
      "--ro-bind",
      from,
      posix.join(box.visiblePath, name),
    ]),
    ["--chdir", posix.resolve(box.visiblePath, folder)],
  ].flat();
}

/** How many files from outside the workspace are shown: each makes the start of a program slower. */
const maxOutside = 200;

/**
 * Returns the files that the run had outside its folder, read-only at their recorded paths; none where
 * something else is, or that would be in the way of another.
 */
function filesOutside(box: SandboxDir, toolchains: readonly string[]): string[] {
  const { folder, names } = box.outside;
  const taken = [box.visiblePath, "/var/tmp", "/run", "/usr", "/tmp", ...toolchains, ...names];
  const isApart = (path: string): boolean =>
    taken.every((other) => other === path || (!isIn(path, other) && !isIn(other, path)));
  return bindable(box, names.slice(0, maxOutside))
    .filter((path) => path !== box.visiblePath && isApart(path))
    .flatMap((path) => ["--ro-bind-try", join(folder, path), path]);
}

/**
 * Returns the folders of one of the user's own programs. The workspace is not at the path that the pack
 * chose: that may be one at which programs look for their settings, such as /node_modules.
 */
export function ownFolders(box: SandboxDir, own: OwnFolders, toolchains: readonly string[]): string[] {
  return [
    ["--bind", own.tmp, "/tmp", "--symlink", "/tmp", "/var/tmp", "--bind", own.home, homeInside],
    bindable(box, toolchains).flatMap((bound) => ["--ro-bind", bound, bound]),
    ["--ro-bind", box.workspace, workspaceInside, "--bind", own.start, startInside],
    ["--chdir", startInside],
  ].flat();
}

export function memory(path: string): string[] {
  return ["--size", "268435456", "--perms", "1777", "--tmpfs", path];
}

/** Returns /usr, and its siblings on this system: links into it, or folders of their own. */
export function wholeSystem(): string[] {
  return ["--ro-bind", "/usr", "/usr", ...besideUsr()];
}

/** Returns the same, with room for a workspace in /usr. */
export function system(box: SandboxDir): string[] {
  if (!isIn(box.visiblePath, "/usr")) return wholeSystem();
  const [, , own] = box.visiblePath.split("/");
  const children = listIfThere("/usr").filter((name) => name !== own);
  return [...children.flatMap((name) => bound(posix.join("/usr", name))), ...besideUsr()];
}

function besideUsr(): string[] {
  return ["bin", "sbin", "lib", "lib32", "lib64", "libx32"].flatMap((name) => bound(`/${name}`));
}

function bound(path: string): string[] {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) return ["--symlink", fs.readlinkSync(path), path];
  return stat?.isDirectory() === true ? ["--ro-bind", path, path] : [];
}

/**
 * Returns folders that are not mounted yet, and that would not be a mount point in a folder that steps can
 * write to.
 */
function bindable(box: SandboxDir, folders: readonly string[]): string[] {
  return [...new Set(folders)].filter(
    (folder) =>
      mountPoint(folder).path === folder &&
      !["/usr", "/tmp", "/var/tmp"].some((top) => isIn(folder, top)) &&
      !isIn(box.folder, folder),
  );
}
