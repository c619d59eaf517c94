// The files of a store, and of the repository around it, that a trusted command line names. They come with a
// `git pull` as the config does, so trusting a command line means trusting them as they are. A script imports
// files beside it: the whole folder of a file counts.
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type Reference, sha256, toReference } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import type { ReplayConfig } from "../model/config.js";

/** Hashes by absolute path; null if there is no such file. */
export type NamedFiles = Map<string, Reference | null>;

/** The part of the repository around a store that the store's programs may see. */
export interface Bounds {
  /** Folders whose files were all hashed, and single files that were. */
  hashed: readonly string[];
  /** The paths of the repository. */
  tops: readonly string[];
}

/** The files that a config's commands name. */
export interface Named extends Bounds {
  files: NamedFiles;
}

const maxFiles = 1000;
const maxBytes = 1 << 24;

/**
 * Returns the files below the repository that the resolved commands of a config name; `root` is the store.
 */
export function namedFiles({ adapters, mcp }: ReplayConfig, root: string): Named {
  const survey = new Survey(root);
  for (const { command, version = [] } of Object.values(adapters ?? {}))
    for (const word of [...command, ...version]) survey.addWord(word);
  for (const { command } of Object.values(mcp ?? {})) for (const word of command) survey.addWord(word);
  return { files: survey.files, hashed: [...survey.hashed], tops: survey.tops };
}

/** Describes the first file that has changed; undefined if none has. */
export function changedFile(before: NamedFiles, now: NamedFiles): string | undefined {
  for (const [path, hash] of now) {
    const known = before.get(path);
    if (known === hash) continue;
    return known === undefined || known === null ? `${path} is new` : `${path} has changed`;
  }
  for (const path of before.keys()) if (!now.has(path)) return `${path} is gone`;
  return undefined;
}

class Survey {
  readonly files: NamedFiles = new Map();
  readonly hashed = new Set<string>();
  /** The repository, or the folder that the store is in; also with links resolved. */
  readonly tops: string[];
  readonly #root: string;
  readonly #folders = new Set<string>();
  #bytes = 0;

  constructor(root: string) {
    this.#root = fs.realpathSync(root);
    const tops = [resolve(root), this.#root].map(repositoryOf);
    this.tops = [...new Set([...tops, ...tops.map((top) => fs.realpathSync(top))])];
  }

  addWord(word: string): void {
    for (const path of this.#pathsIn(word)) if (this.#isOurs(path)) this.#addPath(path);
  }

  /**
   * Returns the word itself, the value of an option, and each path below the repository within a longer text.
   */
  #pathsIn(word: string): Set<string> {
    const paths = [word, word.slice(word.indexOf("=") + 1)].filter(isAbsolute);
    for (const top of this.tops)
      for (let at = word.indexOf(top); at !== -1; at = word.indexOf(top, at + 1))
        paths.push(/^[^\s'"`;&|<>()=,:]*/.exec(word.slice(at))?.[0] ?? top);
    return new Set(paths.map((path) => resolve(path)));
  }

  #isOurs(path: string): boolean {
    const real = realPath(path) ?? realPath(nearestFolder(path));
    return this.tops.some((top) => isBelow(path, top) || (real !== undefined && isBelow(real, top)));
  }

  #addPath(path: string): void {
    const real = realPath(path);
    if (real === undefined) {
      // Programs complete names: `node tools/server` runs tools/server.js, and `lib/*` is every file in lib.
      this.files.set(path, null);
      this.#addFolder(nearestFolder(path), `${path}, which does not exist,`);
      return;
    }
    const isFolder = fs.statSync(real).isDirectory();
    this.#addFolder(isFolder ? path : dirname(path), path);
    if (isFolder) this.#addCompletions(path);
    // Programs import files beside the target of a link.
    if (this.#isOurs(real)) this.#addFolder(isFolder ? real : dirname(real), path);
  }

  /**
   * Adds files that a program prefers to a folder: for `tools/server`, node runs tools/server.js even if that
   * folder exists.
   */
  #addCompletions(folder: string): void {
    const parent = dirname(folder);
    const start = `${basename(folder)}.`;
    for (const name of fs.readdirSync(parent)) {
      const path = join(parent, name);
      if (name.startsWith(start) && fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true)
        this.#addFile(path, fs.lstatSync(path), parent);
    }
  }

  #addFolder(folder: string, named: string): void {
    if (this.#folders.has(folder)) return;
    this.#folders.add(folder);
    if (isBelow(this.#root, realPath(folder) ?? folder))
      throw refusal(
        `${named} is not in a folder of its own: to trust it, ctx would have to trust everything in ${folder}`,
      );
    this.#walk(folder);
    this.hashed.add(folder);
  }

  #walk(folder: string): void {
    for (const name of fs.readdirSync(folder, "buffer")) {
      const text = name.toString("utf8");
      if (!Buffer.from(text).equals(name)) throw refusal(`a name in ${folder} is not UTF-8`);
      const path = join(folder, text);
      const stat = fs.lstatSync(path);
      if (stat.isDirectory()) this.#walk(path);
      else this.#addFile(path, stat, folder);
    }
  }

  #addFile(path: string, stat: fs.Stats, folder: string): void {
    const hash = stat.isSymbolicLink() ? this.#hashOfLink(path, folder) : this.#hashOf(path, stat);
    this.hashed.add(path);
    this.files.set(path, toReference(hash));
    if (this.files.size > maxFiles)
      throw refusal(`the folders of its programs contain more than ${maxFiles} files`);
  }

  #hashOf(path: string, stat: fs.Stats): string {
    if (!stat.isFile()) throw refusal(`${path} is not a regular file`);
    this.#bytes += stat.size;
    if (this.#bytes > maxBytes)
      throw refusal(`the folders of its programs contain more than ${maxBytes >> 20} MiB`);
    return sha256(fs.readFileSync(path));
  }

  /** Hashes the target of a link, and the content there. */
  #hashOfLink(path: string, folder: string): string {
    const real = realPath(path);
    const stat = real === undefined ? undefined : fs.statSync(real);
    const isInside = real !== undefined && isBelow(real, realPath(folder) ?? folder);
    if (stat?.isDirectory() === true && !isInside) throw refusal(`${path} is a link to another folder`);
    const isFile = real !== undefined && stat?.isFile() === true;
    const content = isFile ? this.#hashOf(real, stat) : "";
    if (isFile) this.hashed.add(real);
    return sha256(Buffer.from(`link\0${fs.readlinkSync(path)}\0${content}`));
  }
}

function refusal(message: string): CtxError {
  return new CtxError("store-unusable", `the programs of the store's config cannot be trusted: ${message}`, {
    hint: "move them to a small folder of their own, such as .ctx/tools, or configure them in your own config",
  });
}

/**
 * Returns the git repository that a store is in, or the folder that it is in. The whole file system is
 * neither.
 */
function repositoryOf(root: string): string {
  for (let top = dirname(root); dirname(top) !== top; top = dirname(top))
    if (fs.existsSync(join(top, ".git"))) return top;
  return dirname(root) === "/" ? root : dirname(root);
}

/** Returns the first folder above a path that exists. */
function nearestFolder(path: string): string {
  let folder = dirname(path);
  for (; dirname(folder) !== folder; folder = dirname(folder)) {
    const real = realPath(folder);
    if (real !== undefined && fs.statSync(real).isDirectory()) break;
  }
  return folder;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
