// The folder of the index in a store's cache/. Everything in it can be deleted: it is made again. A store that is
// read-only, or belongs to another user, has none.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { listIfThere, makeFolder } from "../base/fs/files.js";
import { modesOf } from "../store/modes.js";
import type { Store } from "../store/store.js";
import { CheckedFile, withChecksums } from "./checked-file.js";
import type { IndexPlace } from "./shard.js";

/** The files of one kind, such as `text`. */
export function indexFiles(store: Store, kind: string): string[] {
  const folder = indexFolder(store);
  if (folder === undefined) return [];
  const pattern = new RegExp(`^${kind}-[0-9a-f]{64}$`);
  return listIfThere(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));
}

/** Opens the files of one kind that were made in this store. */
export function openIndexFiles(store: Store, kind: string): CheckedFile[] {
  return indexFiles(store, kind).flatMap((path) => {
    const file = CheckedFile.open(path);
    // A file of another size was cut short.
    if (file === undefined) removeIndexFile(path);
    return file ?? [];
  });
}

/** Writes a file of the index, named by the hash of its bytes. Returns false if the store takes none. */
export function writeIndexFile(store: Store, kind: string, bytes: Buffer): boolean {
  if (store.foreign) return false;
  const all = withChecksums(bytes);
  try {
    const modes = modesOf(store.root);
    for (const name of ["cache", "cache/search"]) {
      const path = join(store.root, name);
      // A link, which a clone could bring, would redirect the write to another user's files.
      if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return false;
      makeFolder(path, modes.folder);
    }
    const path = join(store.root, "cache/search", `${kind}-${sha256(all)}`);
    replaceFile(path, all, { durable: false, mode: modes.file(0o600) });
    return true;
  } catch (error) {
    if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Removes a file of the index; one that stays is only useless. */
export function removeIndexFile(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Returns where a store is: no copy of it has the same. */
export function placeOfStore({ root }: Store): IndexPlace | undefined {
  const stat = fs.lstatSync(join(root, "objects"), { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? undefined : { ino: stat.ino, ctimeNs: stat.ctimeNs };
}

export function isSamePlace(a: IndexPlace, b: IndexPlace | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.ctimeNs === b.ctimeNs;
}

function indexFolder(store: Store): string | undefined {
  if (store.foreign) return undefined;
  const folder = join(store.root, "cache/search");
  const parts = [join(store.root, "cache"), folder];
  try {
    const areFolders = parts.every(
      (path) => fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
    );
    return areFolders ? folder : undefined;
  } catch (error) {
    // A folder that another user made there may not be entered.
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
