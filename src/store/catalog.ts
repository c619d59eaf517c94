// The catalog under cache/: the history of a store without reading every manifest. It is only a cache: one
// file of all packs, and a small one of the changes since. They are believed without listing packs/ only
// while that folder's times equal the recorded ones and are old enough that no change can hide in the same
// clock tick; otherwise the names in packs/ are compared with the catalog, and new packs are read. A catalog
// that was not made in this very store is made anew from all packs.
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError, errnoOf, toIoError } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { listIfThere, makeFolder, type OpenFile, openRegular } from "../base/fs/files.js";
import {
  type Catalog,
  type CatalogFile,
  decodeCatalog,
  encodeCatalog,
  type FolderTimes,
  type StorePlace,
} from "./catalog-file.js";
import { changesSince } from "./catalog-changes.js";
import { BrokenCatalog } from "./catalog-rows.js";
import { withNeverRun } from "./never-run.js";
import { type HistoryEntry, numberVersions, readEntry, sortHistory } from "./history.js";
import { packsPath } from "./layout.js";
import { mergeCatalogs } from "./merged-catalog.js";
import { modesOf } from "./modes.js";
import { signatureOf } from "./objects.js";
import { listEntries } from "./packs.js";
import type { Store } from "./store.js";

export type { Catalog, ContentRole } from "./catalog-file.js";
export { BrokenCatalog } from "./catalog-rows.js";
export { type HistoryEntry, readEntry } from "./history.js";

/** How much older than the catalog the folder must be, in nanoseconds: no file system's clock is coarser. */
const settled = 2_000_000_000n;
/** No folder has these times, so a catalog with them is never believed on its own. */
const noTimes: FolderTimes = { mtimeNs: 0n, ctimeNs: 0n };

/** Called with the number of packs that were read, where all of them are, and how many there are. */
export type OnPackRead = (done: number, total: number) => void;

/** Calls `use` with a catalog of what the store holds now. `use` must be done with it before this returns. */
export function withCatalog<T>(store: Store, use: (catalog: Catalog) => T, onRead?: OnPackRead): T {
  return withFiles(store, (files, times) => {
    try {
      // Packs that could not be read then may be readable now.
      if (files !== undefined && files.isCurrent && files.merged.damaged === 0) return use(files.merged);
      return use(
        (files === undefined ? undefined : update(store, files, times)) ??
          refresh(store, files, times, onRead),
      );
    } catch (error) {
      if (error instanceof BrokenCatalog) return use(refresh(store, undefined, times, onRead));
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
  return withFiles(store, (files, times) =>
    use(files?.merged, { isCurrent: files?.isCurrent === true, times }),
  );
}

/** The catalog on disk, and the changes since it was written. */
interface Files {
  base: CatalogFile;
  changes: CatalogFile | undefined;
  merged: Catalog;
  isCurrent: boolean;
}

function withFiles<T>(store: Store, use: (files: Files | undefined, times: FolderTimes) => T): T {
  const opened: OpenFile[] = [];
  const open = (path: string): { kept: CatalogFile; file: OpenFile } | undefined => {
    const file = openCatalog(store, path);
    if (file === undefined) return undefined;
    opened.push(file);
    const kept = decodeCatalog((offset, length) => readAt(file, offset, length), file.size);
    return kept === undefined ? undefined : { kept, file };
  };
  try {
    const base = open(catalogPath(store));
    const newer = base === undefined ? undefined : open(changesPath(store));
    const times = folderTimes(store.root);
    if (base === undefined || base.kept.base !== undefined) return use(undefined, times);
    // Changes to a catalog that another process has replaced are those of no catalog.
    const changes = newer?.kept.base === base.kept.id ? newer : undefined;
    const { kept, file } = changes ?? base;
    const files: Files = {
      base: base.kept,
      changes: changes?.kept,
      merged: changes === undefined ? base.kept : mergeCatalogs(store.root, base.kept, changes.kept),
      isCurrent: isCurrent(kept, times, file),
    };
    return use(files, times);
  } finally {
    for (const { descriptor } of opened) fs.closeSync(descriptor);
  }
}

function isCurrent(catalog: CatalogFile, times: FolderTimes, file: OpenFile): boolean {
  // There is no packs/ folder, so there is no time to compare a catalog with, and a clone may have brought
  // that catalog.
  if (times.mtimeNs === 0n && times.ctimeNs === 0n) return false;
  if (catalog.times.mtimeNs !== times.mtimeNs || catalog.times.ctimeNs !== times.ctimeNs) return false;
  const written = fs.fstatSync(file.descriptor, { bigint: true }).mtimeNs;
  const changed = times.mtimeNs > times.ctimeNs ? times.mtimeNs : times.ctimeNs;
  return written - changed > settled;
}

/**
 * Lists packs/, reads the packs that the catalog does not know, and writes the changes; undefined if the
 * catalog must be made anew. `times` were taken before the listing.
 */
function update(store: Store, { base, changes: former }: Files, times: FolderTimes): Catalog | undefined {
  // Entries are taken over without a look at their files, so they must be this store's own: the catalog of a
  // clone or a copy names another place. Packs that cannot be read are always among the changes.
  if (base.damaged > 0 || !isSamePlace(base.place, placeOf(store.root))) return undefined;
  const found = changesSince(store.root, base, { former, times });
  if (found === undefined) return undefined;
  keep(store, changesPath(store), found.bytes);
  return { ...mergeCatalogs(store.root, base, decoded(found.bytes)), isFresh: (hex) => found.read.has(hex) };
}

/**
 * Lists packs/, reads the packs that are not in the old catalog, and writes a new one. `times` were taken
 * before the listing.
 */
function refresh(
  store: Store,
  former: Files | undefined,
  times: FolderTimes,
  onRead: OnPackRead | undefined,
): Catalog {
  const { root } = store;
  const known = new Map<string, HistoryEntry>();
  for (const entry of former?.merged.entries() ?? [])
    if (!("damage" in entry.content)) known.set(entry.hex, entry);
  const read = new Set<string>();
  const place = placeOf(root);
  const listed = listEntries(root);
  const found = listed.flatMap(({ hex, isPlain }, done) => {
    onRead?.(done, listed.length);
    // Anything but a plain file under a pack's name is damage, whatever was known of the pack before. An
    // entry is kept only for the very file that it was read from: a catalog may have come with a clone, and
    // say anything.
    const old = isPlain ? known.get(hex) : undefined;
    const kept = old !== undefined && old.signature === signatureOf(root, hex) ? old : undefined;
    if (kept === undefined) read.add(hex);
    return kept ?? readEntry(root, hex, isPlain) ?? [];
  });
  const entries = numberVersions(sortHistory(root, withNeverRun(root, found)));
  // Packs that cannot be read are changes from the first, so that only they are read again next time.
  const sound = entries.filter(({ content }) => !("damage" in content));
  const damaged = entries.filter(({ content }) => "damage" in content);
  const bytes = encodeCatalog(sound, damaged.length === 0 ? times : noTimes, { place });
  const base = decoded(bytes);
  keep(store, catalogPath(store), bytes);
  // Changes to the catalog before may have entries of packs that are gone, which nothing shall name any more.
  if (damaged.length === 0) removeChanges(store);
  else
    keep(
      store,
      changesPath(store),
      encodeCatalog(damaged, times, { changes: { base: base.id, hidden: new Map() } }),
    );
  const all = damaged.length === 0 ? base : decoded(encodeCatalog(entries, times));
  return { ...all, entries: () => entries.values(), isFresh: (hex) => read.has(hex) };
}

/** Decodes a catalog that was encoded just now. */
function decoded(bytes: Buffer): CatalogFile {
  return decodeCatalog(
    (offset, length) => bytes.subarray(offset, offset + length),
    bytes.length,
  ) as CatalogFile;
}

/** Writes a file into cache/. A store that is read-only or belongs to another user works without. */
function keep(store: Store, path: string, bytes: Buffer): void {
  if (store.foreign) return;
  const folder = join(store.root, "cache");
  // A link here, which a clone could bring, would redirect the write to another user's files.
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true) return;
  try {
    const modes = modesOf(store.root);
    makeFolder(folder, modes.folder);
    clearFormer(folder);
    replaceFile(path, bytes, { durable: false, mode: modes.file(0o644) });
  } catch (error) {
    if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
  }
}

function removeChanges(store: Store): void {
  if (store.foreign || !isFolder(join(store.root, "cache"))) return;
  try {
    fs.rmSync(changesPath(store), { force: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function isFolder(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Removes the unfinished catalogs of earlier versions, whose names end with the time when they were begun.
 */
function clearFormer(folder: string): void {
  for (const name of listIfThere(folder)) {
    const began = /^catalog-\d+-(\d+)$/.exec(name)?.[1];
    if (began !== undefined && Date.now() - Number(began) > 60 * 60_000)
      fs.rmSync(join(folder, name), { force: true });
  }
}

/** Opens a file of the catalog, if there is one that only this user can have written. */
function openCatalog(store: Store, path: string): OpenFile | undefined {
  if (store.foreign) return undefined;
  try {
    if (!isFolder(join(store.root, "cache"))) return undefined;
    const file = openRegular(path);
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

/** Holds the changes since the catalog was written. */
function changesPath(store: Store): string {
  return join(store.root, "cache", "catalog-changes");
}

/**
 * Returns what distinguishes this store from a clone or copy of it: nothing can choose the change time of a
 * folder. `objects` changes only while it gets its 256 folders, so in a store that is worth the effort it
 * stays.
 */
function placeOf(root: string): StorePlace | undefined {
  const stat = fs.lstatSync(join(root, "objects"), { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? undefined : { ino: stat.ino, ctimeNs: stat.ctimeNs };
}

function isSamePlace(a: StorePlace, b: StorePlace | undefined): boolean {
  return b !== undefined && a.ctimeNs !== 0n && a.ino === b.ino && a.ctimeNs === b.ctimeNs;
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
