// Keeps a store out of git by a line in info/exclude, which belongs to the repository and is never committed.
// The file is found as git finds it, by reading .git, so that this works where git is not installed.
import * as fs from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { makeFolder, readIfThere } from "../base/fs/files.js";
import { flushFolder } from "../base/fs/flush.js";

export { ignoreLines, ignoresAll } from "./own-ignore.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface GitFolders {
  /** The top folder of the work tree. */
  top: string;
  /** The repository's info/exclude, whether or not it exists. Work trees of one repository share it. */
  exclude: string;
}

/**
 * Finds the work tree that contains a folder; undefined if there is none. `from`: the folder that GIT_DIR is
 * relative to.
 */
export function findGit(folder: string, from: string, env: Environment): GitFolders | undefined {
  const start = fs.realpathSync(folder);
  const { GIT_DIR: gitDirVariable = "", GIT_WORK_TREE: tree = "", GIT_COMMON_DIR: common = "" } = env;
  if (gitDirVariable === "") return discover(start);
  const top = real(resolve(from, tree));
  const gitDir = resolve(from, gitDirVariable);
  if (top === undefined || !isGitDir(gitDir) || !isWithin(top, start)) return undefined;
  return { top, exclude: join(common === "" ? commonOf(gitDir) : resolve(from, common), "info/exclude") };
}

function discover(start: string): GitFolders | undefined {
  const device = fs.statSync(start).dev;
  for (let top = start; ; top = dirname(top)) {
    if (fs.statSync(top, { throwIfNoEntry: false })?.dev !== device) return undefined;
    const gitDir = gitDirOf(top);
    if (gitDir !== undefined) return { top, exclude: join(commonOf(gitDir), "info/exclude") };
    if (dirname(top) === top) return undefined;
  }
}

/**
 * Returns a folder's .git: the folder of that name, or the one that the file of that name points to (work
 * trees, submodules).
 */
function gitDirOf(top: string): string | undefined {
  const path = join(top, ".git");
  const stat = quietly(() => fs.statSync(path, { throwIfNoEntry: false }));
  const target = stat?.isFile() === true ? /^gitdir: (.+?)\r?\n?$/s.exec(smallText(path))?.[1] : undefined;
  const gitDir =
    stat?.isDirectory() === true ? path : target === undefined ? undefined : resolve(top, target);
  return gitDir !== undefined && isGitDir(gitDir) ? gitDir : undefined;
}

function isGitDir(path: string): boolean {
  return quietly(() => fs.lstatSync(join(path, "HEAD"), { throwIfNoEntry: false })) !== undefined;
}

/** Returns the repository's own folder, which the folder of a work tree points to. */
function commonOf(gitDir: string): string {
  const target = smallText(join(gitDir, "commondir")).replace(/\r?\n$/, "");
  return target === "" ? gitDir : resolve(gitDir, target);
}

const maxLength = 1 << 16;

function smallText(path: string): string {
  const stat = quietly(() => fs.statSync(path, { throwIfNoEntry: false }));
  if (stat?.isFile() !== true || stat.size > maxLength) return "";
  return quietly(() => fs.readFileSync(path).toString("utf8")) ?? "";
}

function real(path: string): string | undefined {
  return quietly(() => fs.realpathSync(path));
}

/** Returns undefined for a path that cannot be read, as if it were missing. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function isWithin(top: string, path: string): boolean {
  const way = relative(top, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith("/"));
}

/**
 * Returns the line for a store: its path from the top, with every character that is special to git escaped.
 */
function lineFor({ top }: GitFolders, root: string): string {
  const way = relative(top, root).split(sep).join("/");
  // A line feed cannot be written there: `?` stands for any one character.
  return `/${way.replaceAll(/[\\*?[\]]/g, "\\$&").replaceAll("\n", "?")}/`;
}

/**
 * Returns the lines of the file, one character per byte, so that other lines stay as they are in whatever
 * encoding.
 */
function linesOf({ exclude: path }: GitFolders): string[] {
  return (readIfThere(path)?.toString("latin1") ?? "").split(/(?<=\n)/).filter((line) => line !== "");
}

function isLine(line: string, wanted: string): boolean {
  return line.replace(/\r?\n$/, "") === wanted;
}

/** Returns a store's line in the form that the file holds. */
function storedLine(git: GitFolders, root: string): string {
  return Buffer.from(lineFor(git, fs.realpathSync(root))).toString("latin1");
}

/** Adds a store's line, unless it is there. */
export function exclude(git: GitFolders, root: string): void {
  const line = storedLine(git, root);
  const before = linesOf(git);
  if (before.some((each) => isLine(each, line))) return;
  const folder = dirname(git.exclude);
  if (!fs.existsSync(folder)) {
    makeFolder(folder);
    flushFolder(dirname(folder));
  }
  const gap = before.length === 0 || before.at(-1)?.endsWith("\n") === true ? "" : "\n";
  replace(git.exclude, `${before.join("")}${gap}${line}\n`);
}

/** Removes a store's line; false if it was not there. */
export function include(git: GitFolders, root: string): boolean {
  const line = storedLine(git, root);
  const before = linesOf(git);
  const left = before.filter((each) => !isLine(each, line));
  if (left.length === before.length) return false;
  replace(git.exclude, left.join(""));
  return true;
}

/** Returns whether the file has the store's own line. */
export function isExcluded(git: GitFolders, root: string): boolean {
  try {
    const line = storedLine(git, root);
    return linesOf(git).some((each) => isLine(each, line));
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}

/**
 * Replaces the file as a whole, so that neither a full disk nor a crash loses a line. A link was refused
 * before.
 */
function replace(path: string, text: string): void {
  const old = withPath(path, "write", () => fs.lstatSync(path, { throwIfNoEntry: false }));
  replaceFile(path, Buffer.from(text, "latin1"), { durable: true, mode: old ?? 0o644 });
}
