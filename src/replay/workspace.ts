// The files of a workspace, for tools that a stranger's pack calls. Nothing outside the workspace can be
// reached, whatever the path and whatever links are in it: links are followed by hand, and only while they
// stay inside.
// Over 300 lines: every way to a file goes through the same resolution of paths and the same budget.
import * as fs from "node:fs";
import { constants as flags } from "node:fs";
import { posix } from "node:path";
import { errnoOf } from "../base/errors.js";
import { fill, readWhole, usingDescriptor, writeAll } from "../base/fs/files.js";
import { appendAll } from "../base/lists.js";
import { outsideName } from "../model/names.js";
import type { DiskBudget } from "./disk-budget.js";
import { StepFailure } from "./outcome.js";
import { LostFiles } from "./lost-files.js";
import { NotApplied } from "./outcome.js";
import { DirCursor, toBytes, usingFile } from "./dir-cursor.js";
import {
  checkRegular,
  failureAt,
  noSuchFile,
  outsideWorkspace,
  partsOf,
  type ReachOptions,
  type WorkspaceEntry,
} from "./reach.js";
import { emptyFolder, type WalkEntry, entriesOf, type FileKind, fileKind, walkBelow } from "./walk.js";

/** Names that need no further checks: no dots that lead up, nothing that is not ASCII. */
const plainName = /^[A-Za-z0-9_][\w.-]{0,200}$/;
const plainPath = /^[A-Za-z0-9_][\w.-]{0,200}(?:\/[A-Za-z0-9_][\w.-]{0,200}){0,50}$/;

const maxLinks = 40;
/** Disk usage of a new folder. */
const folderSize = 4096;
const maxPath = 65_536;
/** The largest file that a tool reads or makes. */
export const maxBytes = 1 << 28;

export interface WorkspaceOptions {
  /** The names of files that the run had outside its folder. */
  outside?: ReadonlySet<string>;
  /** The folder on this machine that these are in. */
  outsideRoot?: string;
  /** The recorded folder of the run. */
  workdir?: string | undefined;
}

export class Workspace {
  readonly root: string;
  readonly #visiblePath: string;
  /** The root, kept open between calls. */
  #idle: DirCursor | undefined;
  /** Files that the run had outside its folder, by the names that they have inside. */
  readonly #outside: ReadonlySet<string>;
  /** Where those are; they are not in the workspace, where searches and git would find them. */
  readonly #outsideRoot: string | undefined;
  /** Folders at the top that no tool may enter or change. */
  readonly #refused = new Set<string>();
  /** The folder of a run on Windows, with slashes and in lower case. */
  readonly #windowsRoot: string | undefined;
  /** Limits what may be written; unlimited until it is set. */
  #disk: DiskBudget | undefined;
  readonly lost = new LostFiles();

  /**
   * `root` is the folder on this machine; `visiblePath` the absolute path under which tools and commands see
   * it.
   */
  constructor(root: string, visiblePath: string, options: WorkspaceOptions = {}) {
    this.root = root;
    this.#visiblePath = posix.resolve("/", visiblePath);
    this.#outside = options.outside ?? new Set();
    this.#outsideRoot = options.outsideRoot;
    const workdir = options.workdir ?? "";
    this.#windowsRoot = isWindowsPath(workdir)
      ? withSlashes(workdir).replace(/\/+$/, "").toLowerCase()
      : undefined;
  }

  /** Returns the folder on this machine that a path is below, and the path from there. */
  placeOf(path: string): { root: string; path: string } {
    const outside = path.startsWith(`${outsideName}/`) ? this.#outsideRoot : undefined;
    return outside === undefined
      ? { root: this.root, path }
      : { root: outside, path: path.slice(outsideName.length + 1) };
  }

  /** Keeps tools out of a folder at the top: something else is mounted there for programs. */
  refuse(name: string): void {
    this.#refused.add(name);
  }

  /** Counts all writes from now on. */
  limitTo(disk: DiskBudget): void {
    this.#disk = disk;
  }

  /**
   * Returns a tool's path, relative to `folder` or absolute, as a path from the root without `.` and `..`;
   * the root is "".
   */
  locate(path: string, folder = ""): string {
    if (folder === "" && plainPath.test(path)) return path;
    if (path === "") throw new StepFailure("error", "the path is empty");
    if (path.includes("\0") || folder.includes("\0"))
      throw new StepFailure("error", "the path has a NUL character in it");
    if (path.length + folder.length > maxPath) throw new StepFailure("error", "the path is too long");
    const isHome = path === "~" || path.startsWith("~/");
    const absolute = posix.resolve(this.#visiblePath, this.#fromWindows(folder), this.#fromWindows(path));
    const inside = isHome ? undefined : this.#below(absolute);
    if (inside !== undefined) return inside;
    const known = `${outsideName}${absolute}`;
    if (isHome || !this.#outside.has(known)) throw outsideWorkspace(path);
    return known;
  }

  /** Closes the workspace; later calls open it again. */
  close(): void {
    this.#idle?.close();
    this.#idle = undefined;
  }

  read(path: string): Buffer {
    return this.open(path, (descriptor, { size }) => {
      if (size > maxBytes) return readWhole(descriptor, maxBytes);
      // Nothing writes while a tool is at work, so the size is right.
      const bytes = Buffer.allocUnsafe(size);
      return bytes.subarray(0, fill(descriptor, bytes));
    });
  }

  open<T>(path: string, work: (descriptor: number, stat: fs.Stats) => T): T {
    this.lost.check((lost) => lost === path);
    const descriptor = this.#openQuickly(path, flags.O_RDONLY | flags.O_NONBLOCK);
    if (descriptor !== undefined) {
      const stat = fs.fstatSync(descriptor);
      if (stat.isFile()) return usingDescriptor(descriptor, () => work(descriptor, stat));
      fs.closeSync(descriptor);
    }
    return this.#reach(path, { verb: "read" }, ({ cursor, name, stat }) => {
      if (stat !== undefined) checkRegular(path, stat);
      return usingFile(cursor.at(name), flags.O_RDONLY, work, stat);
    });
  }

  /**
   * Writes a file and creates folders on the way. An existing file keeps its mode, unless one is specified.
   */
  write(path: string, bytes: Buffer, options: { mode?: number } = {}): void {
    try {
      this.#disk?.reserve(bytes.length);
      this.#write(path, bytes, options);
      this.lost.remove(path);
    } catch (error) {
      if (error instanceof StepFailure && error.atLimit) this.#lose(path);
      throw error;
    }
  }

  /** Records a file that could not be written: what is left of it is neither the old file nor the new one. */
  #lose(path: string): void {
    this.lost.add(path);
    try {
      this.remove(path);
    } catch (error) {
      if (!(error instanceof StepFailure) && errnoOf(error) === undefined) throw error;
    }
  }

  #write(path: string, bytes: Buffer, options: { mode?: number }): void {
    const isPlain = options.mode === undefined && (process.umask() & 0o644) === 0;
    const made = isPlain ? this.#openQuickly(path, flags.O_WRONLY | flags.O_CREAT | flags.O_EXCL) : undefined;
    if (made !== undefined) {
      try {
        usingDescriptor(made, () => {
          this.#idle?.inheritOwner(made);
          writeAll(made, bytes);
        });
      } catch (error) {
        throw failureAt(path, error, "write");
      }
      return;
    }
    this.#reach(path, { verb: "write", createsFolders: true }, ({ cursor, name, stat }) => {
      if (stat !== undefined) checkRegular(path, stat);
      const create = stat === undefined ? flags.O_CREAT | flags.O_EXCL : 0;
      const put = (descriptor: number, opened: fs.Stats): void => {
        const mode = options.mode ?? (stat === undefined ? 0o644 : undefined);
        if (mode !== undefined && (opened.mode & 0o7777) !== mode) fs.fchmodSync(descriptor, mode);
        if (stat === undefined) cursor.inheritOwner(descriptor);
        else fs.ftruncateSync(descriptor, 0);
        writeAll(descriptor, bytes);
      };
      usingFile(cursor.at(name), flags.O_WRONLY | create, put, stat);
    });
  }

  /**
   * Creates a link where nothing exists, and folders on the way. Its target is not checked before it is
   * followed.
   */
  link(path: string, target: Buffer): void {
    this.#reach(
      path,
      { verb: "write", createsFolders: true, usesLinkItself: true },
      ({ cursor, name, stat }) => {
        if (stat !== undefined) throw new StepFailure("error", `${path} is there already`);
        this.#disk?.reserve(target.length);
        fs.symlinkSync(target, cursor.at(name));
      },
    );
  }

  /** Returns what exists at a path, links followed; undefined if there is nothing. */
  stat(path: string): { kind: FileKind; mode: number } | undefined {
    this.lost.check((lost) => lost === path);
    try {
      return this.#reach(path, { verb: "look at" }, ({ stat }) =>
        stat === undefined ? undefined : { kind: fileKind(stat), mode: stat.mode & 0o777 },
      );
    } catch (error) {
      if (error instanceof StepFailure && error.reason === "missing_input") return undefined;
      throw error;
    }
  }

  /** Removes a file, a link or a folder with everything in it. */
  remove(path: string): void {
    this.#reach(path, { verb: "remove", usesLinkItself: true }, ({ cursor, name, stat }) => {
      if (name === ".") throw new StepFailure("error", "the workspace itself cannot be removed");
      if (stat?.isDirectory() !== true) return fs.unlinkSync(cursor.at(name));
      cursor.enter(name);
      emptyFolder(cursor);
      fs.rmdirSync(cursor.at(cursor.leave()));
    });
  }

  /**
   * Moves a file and creates folders on the way. A file or link at the target is replaced, a folder is not.
   */
  move(from: string, to: string): void {
    this.#reach(from, { verb: "move", usesLinkItself: true }, (source) => {
      if (source.name === "." || to === "")
        throw new StepFailure("error", "the workspace itself cannot be moved or replaced");
      if (source.stat === undefined) throw noSuchFile(from);
      const options = { verb: "move to", usesLinkItself: true, createsFolders: true };
      this.#reach(to, options, ({ cursor, name, stat }) => {
        if (stat?.isDirectory() === true) throw new NotApplied(`${to} is a folder, which is not overwritten`);
        fs.renameSync(source.cursor.at(source.name), cursor.at(name));
      });
    });
  }

  makeFolder(path: string): void {
    this.#reach(path, { verb: "create", createsFolders: true }, ({ cursor, name, stat }) => {
      if (stat === undefined) this.#makeFolder(cursor, name);
      else if (!stat.isDirectory()) throw new NotApplied(`${path} is there, and is not a folder`);
    });
  }

  /** Returns the names in a folder, as byte strings and sorted by them. */
  list(path: string): { name: string; kind: FileKind }[] {
    return this.#inFolder(path, (cursor) => entriesOf(cursor).map(([name, kind]) => ({ name, kind })));
  }

  /**
   * Visits everything below a folder, in no reliable order. Does not follow links or enter folders named in
   * `skip`.
   */
  walk(path: string, visit: (entry: WalkEntry) => void, options: { skip?: ReadonlySet<string> } = {}): void {
    this.#inFolder(path, (cursor) => walkBelow(cursor, visit, options));
  }

  /**
   * Opens a file in the root itself without checking first; returns undefined if that fails, and the careful
   * way must find out why. A device would notice being opened, but no step can make one.
   */
  #openQuickly(path: string, access: number): number | undefined {
    if (!plainName.test(path)) return undefined;
    try {
      this.#idle ??= new DirCursor(this.root);
      return fs.openSync(this.#idle.at(path), access | flags.O_NOFOLLOW, 0o644);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }

  #inFolder<T>(path: string, work: (cursor: DirCursor) => T): T {
    this.lost.check((lost) => path === "" || lost.startsWith(`${path}/`));
    return this.#reach(path, { verb: "list" }, ({ cursor, name, stat }) => {
      if (stat === undefined)
        throw new StepFailure("missing_input", `there is no folder ${path === "" ? "." : path}`);
      if (!stat.isDirectory()) throw new StepFailure("error", `cannot list ${path}: it is not a folder`);
      if (name !== ".") cursor.enter(name);
      return work(cursor);
    });
  }

  /**
   * Walks to a file by descriptor, and turns errors there or in `work` into a failure that names the path.
   */
  #reach<T>(path: string, options: ReachOptions, work: (entry: WorkspaceEntry) => T): T {
    const place = this.placeOf(path);
    const isOwn = place.root === this.root;
    let cursor: DirCursor | undefined;
    try {
      // The root is opened once: most of what tools request is near it.
      cursor = (isOwn ? this.#idle : undefined) ?? new DirCursor(place.root);
      if (isOwn) this.#idle = undefined;
      return work(this.#resolve(cursor, place.path, options));
    } catch (error) {
      if (errnoOf(error) === "ENOENT") throw noSuchFile(path);
      throw failureAt(path, error, options.verb);
    } finally {
      if (isOwn && cursor?.names.length === 0 && this.#idle === undefined) this.#idle = cursor;
      else cursor?.close();
    }
  }

  #resolve(cursor: DirCursor, path: string, options: ReachOptions): WorkspaceEntry {
    const remaining = partsOf(toBytes(path)).reverse();
    let links = 0;
    for (let name = remaining.pop(); name !== undefined; name = remaining.pop()) {
      if (name === "..") {
        if (cursor.names.length === 0) throw outsideWorkspace(path);
        cursor.leave();
        continue;
      }
      if (cursor.names.length === 0 && this.#refused.has(name))
        throw new StepFailure("outside", `${path} is in the dependencies of the checkout`);
      const stat = fs.lstatSync(cursor.at(name), { throwIfNoEntry: false });
      const isLast = remaining.length === 0;
      if (stat?.isSymbolicLink() === true && !(isLast && options.usesLinkItself === true)) {
        if (++links > maxLinks)
          throw new StepFailure("error", `${path} leads through more than ${maxLinks} links`);
        appendAll(remaining, this.#follow(cursor, name, path).reverse());
        continue;
      }
      if (isLast) return { cursor, name, stat };
      if (stat === undefined && options.createsFolders === true) this.#makeFolder(cursor, name);
      cursor.enter(name);
    }
    return { cursor, name: ".", stat: fs.lstatSync(cursor.at(".")) };
  }

  /** Returns the parts of a link's target; an absolute one starts again at the root. */
  #follow(cursor: DirCursor, name: string, path: string): string[] {
    const target = fs.readlinkSync(cursor.at(name), "latin1");
    const parts = partsOf(target);
    if (!target.startsWith("/")) return parts;
    const top = partsOf(toBytes(this.#visiblePath));
    if (!top.every((part, index) => parts[index] === part)) throw outsideWorkspace(path);
    cursor.toRoot();
    return parts.slice(top.length);
  }

  #makeFolder(cursor: DirCursor, name: string): void {
    this.#disk?.reserve(folderSize);
    cursor.makeFolder(name);
  }

  /** Returns a path of a run on Windows as the workspace has it; any other path as it is. */
  #fromWindows(path: string): string {
    if (this.#windowsRoot === undefined) return path;
    const whole = withSlashes(path);
    if (!isWindowsPath(whole)) return whole;
    const isInside = `${whole.toLowerCase()}/`.startsWith(`${this.#windowsRoot}/`);
    // Names of files from outside have the drive as their first folder.
    return isInside
      ? `${this.#visiblePath}${whole.slice(this.#windowsRoot.length)}`
      : `/${whole.replace(":", "")}`;
  }

  /** Returns an absolute path relative to the root, or undefined if it is not inside. */
  #below(path: string): string | undefined {
    if (path === this.#visiblePath) return "";
    const top = this.#visiblePath === "/" ? "/" : `${this.#visiblePath}/`;
    return path.startsWith(top) ? path.slice(top.length) : undefined;
  }
}

function isWindowsPath(path: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(path);
}

function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}
