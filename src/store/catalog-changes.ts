// Brings a catalog up to date without reading it as a whole: the names in packs/ are compared with its table
// of packs, only packs that it does not know are read, and the changes become a small file beside it.
import { isHash } from "../base/digest.js";
import { addTo } from "../base/lists.js";
import { type CatalogFile, type FolderTimes, encodeCatalog, sessionOfVersion } from "./catalog-file.js";
import { BrokenCatalog, type RecordTable } from "./catalog-rows.js";
import { type HistoryEntry, readEntry, sortHistory } from "./history.js";
import { withNeverRun } from "./never-run.js";
import { eachEntry } from "./packs.js";

export interface CatalogChanges {
  bytes: Buffer;
  /** The packs that were read just now. */
  read: ReadonlySet<string>;
}

/** More changes than this, or than this part of the packs, are better written into a new catalog. */
const maxChanges = 1000;
const maxPart = 1 / 8;
/** A pack that joins more versions of a session than this is better added to a new catalog, too. */
const maxVersions = 1000;

/**
 * Returns the changes between a catalog and what packs/ holds now; undefined if they are too many, or if a
 * pack of the catalog is gone. `former`: the changes that were found before. `times` were taken before this
 * is called.
 */
export function changesSince(
  root: string,
  base: CatalogFile,
  { former, times }: { former: CatalogFile | undefined; times: FolderTimes },
): CatalogChanges | undefined {
  const max = Math.min(maxChanges, base.count * maxPart);
  const others = namesBeside(root, base.packs);
  if (others === undefined || others.size > max) return undefined;
  const known = new Map<string, HistoryEntry>();
  // Packs that could not be read then may be readable now.
  for (const entry of former?.entries() ?? []) if (!("damage" in entry.content)) known.set(entry.hex, entry);

  const changed = new Map<string, HistoryEntry>();
  const read = new Set<string>();
  for (const [hex, isPlain] of others) {
    const old = isPlain ? known.get(hex) : undefined;
    const entry = old ?? readEntry(root, hex, isPlain);
    if (entry !== undefined) changed.set(hex, entry);
    if (old === undefined) read.add(hex);
  }
  // Packs of the catalog that have another entry now.
  const hidden = new Set<string>();
  for (const hex of former?.hidden().keys() ?? []) {
    const entry = known.get(hex);
    if (entry === undefined) continue;
    hidden.add(hex);
    changed.set(hex, entry);
  }
  const family = familyOf(base, changed, read, max);
  if (family === undefined) return undefined;
  for (const [at, entry] of withNeverRun(root, family).entries()) {
    if (entry === family[at]) continue;
    if (!changed.has(entry.hex)) hidden.add(entry.hex);
    changed.set(entry.hex, entry);
  }
  const sessions = new Map([...hidden].map((hex) => [hex, versionIn(base, hex)]));
  const entries = sortHistory(root, [...changed.values()]);
  for (const session of new Set([...sessions.values(), ...entries.map(sessionOfVersion)]))
    if (session !== undefined && base.bySession(session).length > maxVersions) return undefined;
  return { bytes: encodeCatalog(entries, times, { changes: { base: base.id, hidden: sessions } }), read };
}

/** Returns the session of which a pack is a version according to this catalog. */
function versionIn(base: CatalogFile, hex: string): string | undefined {
  const entry = base.find(hex);
  return entry === undefined ? undefined : sessionOfVersion(entry);
}

/**
 * Returns the packs that were read just now with their parents and children: whether a run happened shows
 * once its parent is there. Undefined if they are too many.
 */
function familyOf(
  base: CatalogFile,
  changed: ReadonlyMap<string, HistoryEntry>,
  read: ReadonlySet<string>,
  max: number,
): HistoryEntry[] | undefined {
  const children = new Map<string, string[]>();
  for (const { hex, content } of changed.values())
    if (!("damage" in content) && content.parent !== undefined) addTo(children, content.parent, hex);
  const family = new Map<string, HistoryEntry>();
  for (const hex of read) {
    const content = changed.get(hex)?.content;
    if (content === undefined || "damage" in content) continue;
    const parent = content.parent === undefined ? [] : [content.parent];
    const own = [...base.byParent(hex), ...(children.get(hex) ?? [])];
    if (family.size + own.length > 2 * max) return undefined;
    for (const each of [hex, ...parent, ...own]) {
      const entry = changed.get(each) ?? base.find(each);
      if (entry !== undefined) family.set(each, entry);
    }
  }
  return [...family.values()];
}

/**
 * Returns the names in packs/ that are not in a table of packs, with whether each is a plain file. Undefined
 * if a pack of the table is gone, so that nothing of it stays in the catalog, or is no plain file any more.
 */
function namesBeside(root: string, table: RecordTable): Map<string, boolean> | undefined {
  const found: string[] = [];
  const odd = new Set<string>();
  for (const entry of eachEntry(root)) {
    const { name } = entry;
    if (name.length !== 64) continue;
    found.push(name);
    if (!entry.isFile()) odd.add(name);
  }
  const { names, hashes } = hashesOf(found);
  const rows = new HashRows(table);
  const seen = new Uint8Array(table.count);
  const others = new Map<string, boolean>();
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    const isPlain = !odd.has(name);
    const row = rows.find(hashes, at * 32);
    if (row === -1) others.set(name, isPlain);
    else if (isPlain) seen[row] = 1;
  }
  // Also when the row of a pack that is there is damaged.
  return seen.includes(0) ? undefined : others;
}

/** Returns those names that are hashes, and the bytes that they write in hex. */
function hashesOf(names: readonly string[]): { names: readonly string[]; hashes: Buffer } {
  const text = names.join("");
  const hashes = Buffer.from(text, "hex");
  // Decoding stops at what is no hex, and accepts capital letters.
  if (hashes.toString("hex") === text) return { names, hashes };
  const sound = names.filter(isHash);
  return { names: sound, hashes: Buffer.from(sound.join(""), "hex") };
}

/**
 * The hashes of a table in memory, for many searches: a call for each comparison would take most of the time.
 */
class HashRows {
  readonly #bytes: Buffer;
  readonly #size: number;
  /** The first four bytes of each row. */
  readonly #heads: Uint32Array;

  constructor({ read, at, count, size }: RecordTable) {
    this.#bytes = read(at, count * size);
    if (this.#bytes.length !== count * size) throw new BrokenCatalog();
    this.#size = size;
    this.#heads = new Uint32Array(count);
    for (let row = 0; row < count; row++) this.#heads[row] = this.#bytes.readUInt32BE(row * size);
  }

  /** Returns the row with the hash at an offset of a buffer, or -1. */
  find(hashes: Buffer, offset: number): number {
    const head = hashes.readUInt32BE(offset);
    let low = 0;
    let high = this.#heads.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#heads[middle] as number;
      const order = found === head ? this.#compare(middle, hashes, offset) : found - head;
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  #compare(row: number, hashes: Buffer, offset: number): number {
    const start = row * this.#size;
    for (let at = 4; at < 32; at++) {
      const order = (this.#bytes[start + at] as number) - (hashes[offset + at] as number);
      if (order !== 0) return order;
    }
    return 0;
  }
}
