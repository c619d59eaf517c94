// A store that was found and may be used. Everything else in this folder takes one and works on its files.
import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { canonicalText } from "../base/json/canonical.js";
import { asIoError, CtxError, errnoOf, type Problem, withPath } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import { JsonReader } from "../base/json/reader.js";
import { appendAll } from "../base/lists.js";
import { formatVersion } from "../model/manifest.js";
import { storeName } from "./layout.js";
import type { WaitNotice } from "./lock-text.js";
import { userName } from "./owner.js";

export type { LockInfo, WaitNotice } from "./lock-text.js";
export { userName } from "./owner.js";

export interface StoreOptions {
  /**
   * Called when a command has waited two seconds for another process that holds the store, then once a
   * minute.
   */
  onWait?: ((notice: WaitNotice) => void) | undefined;
}

export class Store {
  /** The .ctx folder. */
  readonly root: string;
  /** The folder that holds it: names of artifacts are relative to it. */
  readonly folder: string;
  /** Whether the store belongs to another user of this machine. */
  readonly foreign: boolean;
  /** The store whose settings apply: this one, unless this is a scratch store. */
  readonly settings: Store;

  /** Called when a command waits for another process; see `StoreOptions`. */
  readonly onWait: StoreOptions["onWait"];

  private constructor(
    root: string,
    foreign: boolean,
    instead?: { folder?: string; settings?: Store | undefined } & StoreOptions,
  ) {
    // The working directory may change later.
    this.root = resolve(root);
    this.folder = instead?.folder ?? dirname(this.root);
    this.onWait = instead?.onWait;
    this.foreign = foreign;
    this.settings = instead?.settings ?? this;
  }

  /** Finds the store for a folder: its own .ctx, or the nearest one above on the same file system. */
  static find(folder: string, options: StoreOptions = {}): Store {
    try {
      return Store.open(findFrom(checkedPath(folder)), options);
    } catch (error) {
      throw asIoError(error);
    }
  }

  /** Opens a scratch store that stands for one in another folder. */
  static temporary(root: string, instead: { folder: string; settings?: Store | undefined }): Store {
    return new Store(root, false, instead);
  }

  /** Opens the store at exactly this .ctx folder. */
  static open(root: string, { onWait }: StoreOptions = {}): Store {
    try {
      return new Store(root, checkStore(checkedPath(root)).foreign, { onWait });
    } catch (error) {
      throw asIoError(error);
    }
  }

  /**
   * Throws if the store can no longer be used: it was removed, renamed or unmounted, or a newer ctx upgraded
   * it since it was opened.
   */
  assertExists(): void {
    const path = join(this.root, "config.json");
    // Not existsSync, which treats any failure as absence.
    if (withPath(path, "read", () => fs.statSync(path, { throwIfNoEntry: false })) !== undefined)
      return checkConfig(this.root);
    throw new CtxError("no-store", `the store ${this.root} has disappeared since this command opened it`, {
      hint: "mount it or move it back, or open the store again",
      data: { path: this.root },
    });
  }
}

/** Checks the type as well: programs in JavaScript may pass anything. */
function checkedPath(path: unknown): string {
  if (typeof path === "string" && !path.includes("\0")) return path;
  throw new CtxError("usage", "the path of a store must be a string without a NUL character");
}

/** Returns the path of the store for a folder. */
function findFrom(folder: string): string {
  const start = withPath(folder, "enter", () => fs.realpathSync(resolve(folder)));
  const device = fs.statSync(start).dev;
  let passed: string | undefined;
  for (let at = start; ; at = dirname(at)) {
    const stat = fs.statSync(at, { throwIfNoEntry: false });
    if (stat === undefined || stat.dev !== device) break;
    const root = join(at, storeName);
    const found = fs.lstatSync(root, { throwIfNoEntry: false });
    if (found !== undefined && isWorldWritable(stat)) passed ??= root;
    else if (found !== undefined && looksLikeStore(root, found)) return root;
    if (dirname(at) === at) break;
  }
  const why = passed === undefined ? "" : `; ${passed} is ignored because every user can write to its folder`;
  throw new CtxError("no-store", `there is no .ctx store in ${folder} or above${why}`, {
    hint: isWorldWritable(fs.statSync(start))
      ? "make a folder of your own, run `ctx init` there, and work in it"
      : "run `ctx init` to make one here, or name a folder with -C",
  });
}

/**
 * Folders that may not be links: a clone can bring a link that leads to the user's own files, which ctx would
 * then read as a store's and remove. A linked cache/ is not used, and the functions that list object folders
 * check them.
 */
const realFolders = ["objects", "packs", "refs", "refs/tags", "refs/titles", "drafts", "tmp", "locks"];

/**
 * Throws if the folder cannot be used as a store; returns whether it belongs to another user of this machine.
 */
function checkStore(root: string): { foreign: boolean } {
  const stat = withPath(root, "read", () => fs.lstatSync(root));
  if (!stat.isDirectory()) {
    const what = stat.isSymbolicLink() ? " but a link" : "";
    throw new CtxError("store-unusable", `${root} is not a folder${what}`);
  }
  for (const name of realFolders) {
    const part = entering(root, stat, () => fs.lstatSync(join(root, name), { throwIfNoEntry: false }));
    // With a file in place of tmp/ or locks/, reading works, and writers report the problem.
    const isUsable = part?.isDirectory() ?? true;
    if (!isUsable && (part?.isSymbolicLink() === true || !["tmp", "locks"].includes(name)))
      throw new CtxError("store-unusable", `${join(root, name)} is not a folder`, {
        hint: "the folders of a store cannot be links; replace the link by the real folder",
      });
  }
  checkConfig(root);
  return { foreign: process.geteuid !== undefined && stat.uid !== process.geteuid() };
}

function checkConfig(root: string): void {
  const config = readIfThere(join(root, "config.json"));
  if (config === undefined)
    throw new CtxError(
      "store-unusable",
      `${root} has no config.json: either \`ctx init\` was interrupted, or the file was lost`,
      {
        hint: `run \`ctx init\` in ${dirname(root)} to complete it`,
      },
    );
  const { version = null, extensions = [] } = objectIn(config, join(root, "config.json"));
  if (version !== formatVersion)
    throw newerStore(
      root,
      `its format version is ${canonicalText(version)}, this ctx reads "${formatVersion}"`,
    );
  const unknown = unknownExtensions(extensions);
  if (unknown !== undefined) throw newerStore(root, unknown);
}

/**
 * Describes the extensions in a config. No extension of the format exists yet: a program that wrote one is
 * newer than this one.
 */
function unknownExtensions(extensions: JsonValue): string | undefined {
  if (!Array.isArray(extensions))
    return "the extensions in its config.json have a form that this ctx does not know";
  if (extensions.length === 0) return undefined;
  const names = extensions.slice(0, 5).map((name) => canonicalText(name).slice(0, 100));
  return `it uses ${names.join(", ")}, which this ctx does not know`;
}

function newerStore(root: string, why: string): CtxError {
  return new CtxError("unknown-version", `${root} was written by a newer ctx: ${why}`, {
    hint: "update ctx to use this store",
  });
}

/**
 * Runs `work` inside a store's folder. A folder that may not be entered is an error with its owner's name.
 */
function entering<T>(root: string, { uid }: fs.Stats, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "EACCES" && errno !== "EPERM") throw error;
    throw new CtxError("store-unusable", `${root} cannot be opened: it belongs to ${userName(uid)}`, {
      hint: "run ctx as its owner, ask for access, or name another folder with -C",
      data: { path: root, errno },
      cause: error,
    });
  }
}

function isWorldWritable(stat: fs.Stats): boolean {
  return process.platform !== "win32" && (stat.mode & 0o002) !== 0;
}

/**
 * Returns whether a .ctx folder has any part of a store. Other programs have .ctx folders too, which are
 * skipped. One that may not be entered ends the search.
 */
function looksLikeStore(path: string, stat: fs.Stats): boolean {
  if (!stat.isDirectory()) return stat.isSymbolicLink();
  return ["config.json", "objects", "packs"].some((name) => {
    try {
      return (
        entering(path, stat, () => fs.lstatSync(join(path, name), { throwIfNoEntry: false })) !== undefined
      );
    } catch (error) {
      if (errnoOf(error) !== undefined) return false;
      throw error;
    }
  });
}

function objectIn(bytes: Buffer, path: string): JsonObject {
  const problems: Problem[] = [];
  try {
    const reader = new JsonReader(bytes);
    const value = reader.value();
    reader.end();
    if (isObject(value) && reader.problems.length === 0) return value;
    appendAll(problems, reader.problems);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    appendAll(problems, error.problems ?? []);
  }
  throw new CtxError("store-unusable", `${path} is not a valid JSON object`, {
    problems,
    hint: `it should hold {"version":"${formatVersion}"}`,
  });
}
