// A draft on disk: written aside and put in place whole, and taken away file by file when all of it is in a pack.
import * as fs from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { hexOf } from "../base/digest.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import {
  checkSize,
  listIfThere,
  makeFolder,
  usingDescriptor,
  usingRegular,
  writeAll,
  writeNew,
} from "../base/files.js";
import { prettyBytes } from "../base/pretty-json.js";
import { withBatch } from "../store/batch.js";
import { flush } from "../store/flush.js";
import { isOwnerRunning, ownId } from "../store/lock.js";
import { streamObject } from "../store/objects.js";
import type { Store } from "../store/store.js";
import { type Draft, logName } from "./draft.js";
import { isReadme, readmeName, readmeOf } from "./draft-readme.js";

/** Puts a draft into the store's own folder for them, and gives its path. */
export function writeOwnDraft(store: Store, hex: string, draft: Draft): string {
  return withBatch(store.root, "add", (batch) => {
    const drafts = join(store.root, "drafts");
    const staged = join(batch.aside, "draft");
    fill(store, staged, hex, draft, () => batch.refresh());
    makeFolder(drafts);
    for (let count = 1; ; count++) {
      const target = join(drafts, count === 1 ? hex.slice(0, 12) : `${hex.slice(0, 12)}-${count}`);
      if (!moveFolder(staged, target)) continue;
      flush(store.root, { files: [], folders: [drafts, store.root] });
      return target;
    }
  });
}

/** Puts a draft where it was asked for: into a new folder, or one that is empty. */
export function writeDraftAt(store: Store, target: string, hex: string, draft: Draft): string {
  const taken = new CtxError("exists", `${target} exists, and is not an empty folder`, {
    hint: "name another folder, or none: then the draft goes into the store",
  });
  checkOutsideStore(store, target);
  const isThere = fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined;
  if (isThere) {
    // A link to an empty folder is none: what is behind it belongs to somebody else.
    if (!fs.lstatSync(target).isDirectory()) throw taken;
    clearLeftovers(target);
    if (listIfThere(target).length > 0) throw taken;
  }
  const made = isThere ? [] : makeFoldersTo(dirname(resolve(target)));
  // Beside the target, so that one rename puts it in place; where the folder is there already, inside it.
  const around = isThere ? target : dirname(resolve(target));
  if (!isThere) clearLeftovers(around);
  const staged = join(around, `${stagedPrefix}${ownId()}.tmp`);
  try {
    fill(store, staged, hex, draft, () => undefined);
    // Of two that came at once, at least one gives way: whoever sees the other.
    if (isThere && listIfThere(target).length > 1) throw taken;
    if (isThere) moveInside(staged, target);
    else if (!moveFolder(staged, target)) throw taken;
    flush(around, { files: [], folders: [target, around, ...made.map((path) => dirname(path))] });
    return target;
  } catch (error) {
    fs.rmSync(staged, { recursive: true, force: true });
    for (const folder of made.toReversed()) removeIfEmpty(folder);
    throw error;
  }
}

const stagedPrefix = ".ctx-draft-";

/** What a crash left is taken away by the next one who comes along. */
function clearLeftovers(folder: string): void {
  for (const name of listIfThere(folder)) {
    const owner = new RegExp(`^\\${stagedPrefix}(.+)\\.tmp$`).exec(name)?.[1];
    if (owner !== undefined && isOwnerRunning(owner) === false)
      fs.rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** The store's own folders are not for drafts, but for the one that is. */
function checkOutsideStore({ root }: Store, target: string): void {
  const inside = relative(root, resolve(target)).split(sep);
  if (inside[0] === ".." || isAbsolute(inside[0] as string)) return;
  if (inside.length === 2 && inside[0] === "drafts") return;
  throw new CtxError("usage", `${target} is inside the store, where a draft can only be in drafts/`);
}

/** Makes the folders that lead to a path, and says which were made. */
function makeFoldersTo(path: string): string[] {
  if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return [];
  const above = dirname(path) === path ? [] : makeFoldersTo(dirname(path));
  makeFolder(path);
  return [...above, path];
}

/** Writes everything, and gets it onto the disk. */
function fill(store: Store, folder: string, hex: string, draft: Draft, tick: () => void): void {
  const folders = new Set([folder]);
  const enter = (path: string): void => {
    if (folders.has(path)) return;
    enter(dirname(path));
    withPath(path, "create", () => fs.mkdirSync(path));
    folders.add(path);
  };
  withPath(folder, "create", () => fs.mkdirSync(folder));
  const files = [...draft.files].map(([path, content]) => {
    const file = `${folder}/${path}`;
    enter(file.slice(0, file.lastIndexOf("/")));
    tick();
    if (typeof content === "string") copyObject(store.root, hexOf(content), file);
    else writeNew(file, content, 0o644);
    return file;
  });
  const own: [string, Buffer][] = [
    [readmeName, readmeOf(hex)],
    [logName, prettyBytes(draft.log)],
  ];
  for (const [name, bytes] of own) {
    writeNew(join(folder, name), bytes, 0o644);
    files.push(join(folder, name));
  }
  flush(folder, { files, folders });
}

function copyObject(root: string, hex: string, file: string): void {
  withPath(file, "write", () =>
    usingDescriptor(fs.openSync(file, "wx", 0o644), (descriptor) => {
      let size = 0;
      streamObject(root, hex, (piece) => {
        writeAll(descriptor, piece);
        size += piece.length;
      });
      checkSize(file, descriptor, size);
    }),
  );
}

/** False when something stands there already. */
function moveFolder(staged: string, target: string): boolean {
  try {
    if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) return false;
    fs.renameSync(staged, target);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errnoOf(error) ?? "")) return false;
    return withPath(target, "create", () => {
      throw error;
    });
  }
}

/** The log last: without it a folder is no draft. */
function moveInside(staged: string, target: string): void {
  const names = fs.readdirSync(staged).sort((a, b) => Number(a === logName) - Number(b === logName));
  for (const name of names)
    withPath(join(target, name), "create", () => fs.renameSync(join(staged, name), join(target, name)));
  fs.rmdirSync(staged);
}

/** Whether `ctx fork` made this folder. */
export function isDraftFolder(folder: string): boolean {
  try {
    return usingRegular(join(folder, readmeName), ({ descriptor }) => {
      const head = Buffer.alloc(256);
      return isReadme(head.subarray(0, fs.readSync(descriptor, head)));
    });
  } catch (error) {
    if (error instanceof CtxError || errnoOf(error) !== undefined) return false;
    throw error;
  }
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
