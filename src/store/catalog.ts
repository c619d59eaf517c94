// The catalog under cache/: the history of a store without reading every manifest. It is only a cache. It is
// believed without listing packs/ only while that folder's times equal the recorded ones and are old enough
// that no change can hide in the same clock tick; otherwise the folder is listed, and new packs are read.
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError, errnoOf, toIoError } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { listIfThere, makeFolder, type OpenFile, openRegular } from "../base/fs/files.js";
import {
  BrokenCatalog,
  type Catalog,
  decodeCatalog,
  encodeCatalog,
  type FolderTimes,
} from "./catalog-file.js";
import { withNeverRun } from "./never-run.js";
import { type HistoryEntry, numberVersions, readEntry, sortHistory } from "./history.js";
import { packsPath } from "./layout.js";
import { modesOf } from "./modes.js";
import { signatureOf } from "./objects.js";
import { listEntries } from "./packs.js";
import type { Store } from "./store.js";

export type { Catalog, ContentRole } from "./catalog-file.js";
export { type HistoryEntry, readEntry } from "./history.js";

/** How much older than the catalog the folder must be, in nanoseconds: no file system's clock is coarser. */
const settled = 2_000_000_000n;

/** Calls `use` with a catalog of what the store holds now. `use` must be done with it before this returns. */
export function withCatalog<T>(store: Store, use: (catalog: Catalog) => T): T {
  return withKeptCatalog(store, (kept, { times, isCurrent }) => {
    try {
      // Packs that could not be read then may be readable now.
      const isGood = kept !== undefined && isCurrent && kept.damaged === 0;
      return use(isGood ? kept : refresh(store, kept, times));
    } catch (error) {
      if (error instanceof BrokenCatalog) return use(refresh(store, undefined, times));
      throw error;
    }
  });
}

/**
 * Calls `use` with the catalog on disk, if any, and whether it can be believed. Reads and writes nothing
 * else.
 */
export function withKeptCatalog<T>(
  store: Store,
  use: (kept: Catalog | undefined, state: { isCurrent: boolean; times: FolderTimes }) => T,
): T {
  const file = openCatalog(store);
  try {
    const kept =
      file === undefined
        ? undefined
        : decodeCatalog((offset, length) => readAt(file, offset, length), file.size);
    const times = folderTimes(store.root);
    const current = file !== undefined && kept !== undefined && isCurrent(kept, times, file);
    return use(kept, { isCurrent: current, times });
  } finally {
    if (file !== undefined) fs.closeSync(file.descriptor);
  }
}

function isCurrent(catalog: Catalog, times: FolderTimes, file: OpenFile): boolean {
  // There is no packs/ folder, so there is no time to compare a catalog with, and a clone may have brought
  // that catalog.
  if (times.mtimeNs === 0n && times.ctimeNs === 0n) return false;
  if (catalog.times.mtimeNs !== times.mtimeNs || catalog.times.ctimeNs !== times.ctimeNs) return false;
  const written = fs.fstatSync(file.descriptor, { bigint: true }).mtimeNs;
  const changed = times.mtimeNs > times.ctimeNs ? times.mtimeNs : times.ctimeNs;
  return written - changed > settled;
}

/**
 * Lists packs/ and reads the packs that are not in the old catalog. `times` were taken before the listing.
 */
function refresh(store: Store, former: Catalog | undefined, times: FolderTimes): Catalog {
  const known = new Map<string, HistoryEntry>();
  if (former !== undefined)
    for (const entry of former.entries()) if (!("damage" in entry.content)) known.set(entry.hex, entry);
  const read = new Set<string>();
  const found = listEntries(store.root).flatMap(({ hex, isPlain }) => {
    // Anything but a plain file under a pack's name is damage, whatever was known of the pack before. An
    // entry is kept only for the very file that it was read from: a catalog may have come with a clone, and
    // say anything.
    const old = isPlain ? known.get(hex) : undefined;
    const kept = old !== undefined && old.signature === signatureOf(store.root, hex) ? old : undefined;
    if (kept === undefined) read.add(hex);
    return kept ?? readEntry(store.root, hex, isPlain) ?? [];
  });
  const entries = numberVersions(sortHistory(store.root, withNeverRun(store.root, found)));
  const bytes = encodeCatalog(entries, times);
  keep(store, bytes);
  const made = decodeCatalog(
    (offset, length) => bytes.subarray(offset, offset + length),
    bytes.length,
  ) as Catalog;
  return { ...made, entries: () => entries.values(), isFresh: (hex) => read.has(hex) };
}

/** Writes the catalog into cache/. A store that is read-only or belongs to another user works without. */
function keep(store: Store, bytes: Buffer): void {
  if (store.foreign) return;
  const folder = join(store.root, "cache");
  // A link here, which a clone could bring, would redirect the write to another user's files.
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true) return;
  try {
    const modes = modesOf(store.root);
    makeFolder(folder, modes.folder);
    clearFormer(folder);
    replaceFile(catalogPath(store), bytes, { durable: false, mode: modes.file(0o644) });
  } catch (error) {
    if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
  }
}

/** Removes the unfinished catalogs of earlier versions, whose names end with the time when they were begun. */
function clearFormer(folder: string): void {
  for (const name of listIfThere(folder)) {
    const began = /^catalog-\d+-(\d+)$/.exec(name)?.[1];
    if (began !== undefined && Date.now() - Number(began) > 60 * 60_000)
      fs.rmSync(join(folder, name), { force: true });
  }
}

/** Opens the catalog's file, if there is one that only this user can have written. */
function openCatalog(store: Store): OpenFile | undefined {
  if (store.foreign) return undefined;
  try {
    if (!fs.lstatSync(join(store.root, "cache")).isDirectory()) return undefined;
    const file = openRegular(catalogPath(store));
    if (process.geteuid === undefined || fs.fstatSync(file.descriptor).uid === process.geteuid()) return file;
    fs.closeSync(file.descriptor);
  } catch {
    // There is no catalog, or something else under its name: it is rebuilt.
  }
  return undefined;
}

function catalogPath(store: Store): string {
  return join(store.root, "cache", "catalog");
}

function folderTimes(root: string): FolderTimes {
  const stat = fs.statSync(packsPath(root), { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? { mtimeNs: 0n, ctimeNs: 0n } : { mtimeNs: stat.mtimeNs, ctimeNs: stat.ctimeNs };
}

function readAt({ descriptor }: OpenFile, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    fs.readSync(descriptor, bytes, 0, length, offset);
  } catch (error) {
    throw toIoError(error, "the catalog", "read");
  }
  return bytes;
}
