// The bytes of a catalog: one entry per pack in the order of `ctx log`, and tables to look up packs by hash,
// by content, by parent and by session. The layout lets a query read only the part it needs, however many
// packs there are. A catalog describes all packs of a store, or the changes since another one was written.
//
//   header    magic, counts, lengths, ids, and the times of packs/ when it was listed
//   records   one JSON line per pack, newest first
//   packs     32 bytes of hash, 8 for where its record begins; sorted
//   contents  32 bytes of hash, one of role, four for the pack's row number in the table above; sorted
//   children  32 bytes of the parent's hash, 32 of the pack's; sorted, and newest first for each parent
//   sessions  16 bytes of the session's hash, four for the pack's row number; sorted, and newest first for
//             each session
//   hidden    of changes only: 32 bytes of hash of a pack that has another record in the other catalog, 16 of
//             the session that it has there, or zeros; sorted
import { randomBytes } from "node:crypto"; // Lazy in bundles.
import { sha256 } from "../base/digest.js";
import {
  BrokenCatalog,
  type CatalogSource,
  checksum,
  hasSum,
  lineAt,
  lines,
  matches,
  putSum,
  type RecordTable,
  rowOf,
  rowsOf,
  sumSize,
} from "./catalog-rows.js";
import { type HistoryEntry, versionedSession } from "./history.js";

const magic = "ctxcat13";
const idSize = 8;
const headerSize = 88 + sumSize;
const packSize = 32 + 8 + sumSize;
const contentSize = 32 + 1 + 4 + sumSize;
const pairSize = 32 + 32 + sumSize;
const noId = "00".repeat(idSize);
const sessionKey = 16;
const sessionSize = sessionKey + 4 + sumSize;
const hiddenSize = 32 + sessionKey + sumSize;
const noSession = "00".repeat(sessionKey);

/** Whether a content was an output or an input of the pack. */
export type ContentRole = "output" | "input";
const roles: readonly ContentRole[] = ["output", "input"];

/** When a folder's entries last changed, in nanoseconds. */
export interface FolderTimes {
  mtimeNs: bigint;
  ctimeNs: bigint;
}

/** Inode number and change time of a store's folder of objects, which no copy of the store has in common. */
export interface StorePlace {
  ino: bigint;
  ctimeNs: bigint;
}

export interface Catalog {
  count: number;
  /** How many packs could not be read when they were catalogued. */
  damaged: number;
  times: FolderTimes;
  /** Iterates over all packs, newest first; reads them lazily. */
  entries(): IterableIterator<HistoryEntry>;
  /** Returns whether an entry was read from the pack itself just now. */
  isFresh(hex: string): boolean;
  /** Returns the hashes of packs that begin with these digits, sorted. */
  byPrefix(prefix: string): string[];
  /** Returns the packs that have a content among their outputs or inputs. */
  byContent(hex: string): { pack: string; role: ContentRole }[];
  /** Returns the packs whose parent is this one, newest first, without those that could not be read. */
  byParent(hex: string): string[];
}

/** What one file holds. */
export interface CatalogFile extends Catalog {
  /** Random, so that changes name the very catalog that they were made for. */
  id: string;
  /** The catalog that these changes were made for; undefined if this is one of all packs. */
  base: string | undefined;
  place: StorePlace;
  /** The table of packs, for a comparison with all names in packs/. */
  packs: RecordTable;
  /** Returns the entry of one pack, if it is here. */
  find(hex: string): HistoryEntry | undefined;
  /** All sessions of which a pack is a version, as `sessionOfVersion` names them. */
  sessions(): string[];
  /** Returns the versions of a session, newest first. */
  bySession(session: string): string[];
  /** The packs of `base` that have a new entry here, each with the session that it has there. */
  hidden(): Map<string, string | undefined>;
}

export interface CatalogOptions {
  /** Where the store was; changes cannot be made to a catalog without it. */
  place?: StorePlace | undefined;
  /** For changes: the catalog that they were made for, and the packs there that have a new entry here. */
  changes?: { base: string; hidden: ReadonlyMap<string, string | undefined> };
}

/** Returns how the table of sessions names the session of which a pack is a version, if it is one. */
export function sessionOfVersion({ content }: HistoryEntry): string | undefined {
  const session = versionedSession(content);
  return session === undefined ? undefined : sha256(Buffer.from(session)).slice(0, 2 * sessionKey);
}

/** Encodes a catalog of packs that are already sorted. */
export function encodeCatalog(
  entries: readonly HistoryEntry[],
  times: FolderTimes,
  { place, changes }: CatalogOptions = {},
): Buffer {
  const recordLines = entries.map((entry) => `${toLine(entry)}\n`);
  const offsets = new Map<string, number>();
  let offset = headerSize;
  for (const [index, { hex }] of entries.entries()) {
    offsets.set(hex, offset);
    offset += (recordLines[index] as string).length;
  }
  const records = Buffer.from(recordLines.join(""), "latin1");
  const packs = [...offsets.keys()].sort();
  const numbers = new Map(packs.map((hex, number) => [hex, number]));
  const contents = entries.flatMap(({ hex, contents: held }) =>
    held.map(({ hex: content, role }) => ({ content, role, number: numbers.get(hex) as number })),
  );
  contents.sort((a, b) => (a.content < b.content ? -1 : a.content > b.content ? 1 : a.number - b.number));
  const children = pairs(entries, ({ content }) => ("damage" in content ? undefined : content.parent));
  const sessions = pairs(entries, sessionOfVersion);
  const hidden = [...(changes?.hidden ?? [])].map(([hex, session]) => [hex, session ?? noSession] as const);
  hidden.sort(byKey);
  const tables = Buffer.alloc(
    packs.length * packSize +
      contents.length * contentSize +
      children.length * pairSize +
      sessions.length * sessionSize +
      hidden.length * hiddenSize,
  );
  let at = 0;
  /** Ends a row of `size` bytes with their checksum. */
  const end = (size: number): void => {
    at += size;
    putSum(tables.subarray(at - size, at));
  };
  for (const hex of packs) {
    tables.write(hex, at, "hex");
    tables.writeDoubleLE(offsets.get(hex) as number, at + 32);
    end(packSize);
  }
  for (const { content, role, number } of contents) {
    tables.write(content, at, "hex");
    tables.writeUInt8(roles.indexOf(role), at + 32);
    tables.writeUInt32LE(number, at + 33);
    end(contentSize);
  }
  for (const [parent, hex] of children) {
    tables.write(parent + hex, at, "hex");
    end(pairSize);
  }
  for (const [session, hex] of sessions) {
    tables.write(session, at, "hex");
    tables.writeUInt32LE(numbers.get(hex) as number, at + sessionKey);
    end(sessionSize);
  }
  for (const [hex, session] of hidden) {
    tables.write(hex + session, at, "hex");
    end(hiddenSize);
  }
  const header = Buffer.alloc(headerSize);
  header.write(magic, "latin1");
  header.writeUInt32LE(packs.length, 8);
  header.writeUInt32LE(contents.length, 12);
  header.writeBigUInt64LE(BigInt(records.length), 16);
  header.writeBigUInt64LE(times.mtimeNs, 24);
  header.writeBigUInt64LE(times.ctimeNs, 32);
  header.writeUInt32LE(entries.filter(({ content }) => "damage" in content).length, 40);
  header.writeUInt32LE(children.length, 44);
  header.writeUInt32LE(sessions.length, 48);
  header.writeUInt32LE(hidden.length, 52);
  randomBytes(idSize).copy(header, 56);
  header.write(changes?.base ?? noId, 64, "hex");
  header.writeBigUInt64LE(place?.ino ?? 0n, 72);
  header.writeBigUInt64LE(place?.ctimeNs ?? 0n, 80);
  putSum(header);
  return Buffer.concat([header, records, tables]);
}

/** Returns rows of a key and a pack, sorted by key, and for each key in the order of the entries. */
function pairs(
  entries: readonly HistoryEntry[],
  keyOf: (entry: HistoryEntry) => string | undefined,
): (readonly [key: string, hex: string])[] {
  const rows = entries.flatMap((entry) => {
    const key = keyOf(entry);
    return key === undefined ? [] : [[key, entry.hex] as const];
  });
  return rows.sort(byKey);
}

function byKey([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Decodes a catalog of `length` bytes; undefined if it is not a catalog, or incomplete. */
export function decodeCatalog(read: CatalogSource, length: number): CatalogFile | undefined {
  if (length < headerSize) return undefined;
  const header = read(0, headerSize);
  if (header.toString("latin1", 0, magic.length) !== magic || !hasSum(header)) return undefined;
  const base = header.toString("hex", 64, 64 + idSize);
  const count = header.readUInt32LE(8);
  let end = headerSize + Number(header.readBigUInt64LE(16));
  const table = (size: number, rows: number, key = 32): RecordTable => {
    const at = end;
    end += rows * size;
    return { read, size, count: rows, at, key };
  };
  const packs = table(packSize, count);
  const contents = table(contentSize, header.readUInt32LE(12));
  const children = table(pairSize, header.readUInt32LE(44));
  const sessions = table(sessionSize, header.readUInt32LE(48), sessionKey);
  const hidden = table(hiddenSize, header.readUInt32LE(52));
  if (end !== length) return undefined;
  return {
    id: header.toString("hex", 56, 56 + idSize),
    base: base === noId ? undefined : base,
    place: { ino: header.readBigUInt64LE(72), ctimeNs: header.readBigUInt64LE(80) },
    count,
    damaged: header.readUInt32LE(40),
    times: { mtimeNs: header.readBigUInt64LE(24), ctimeNs: header.readBigUInt64LE(32) },
    packs,
    *entries() {
      let left = count;
      for (const line of lines(read, headerSize, packs.at)) {
        yield fromLine(line);
        left--;
      }
      if (left !== 0) throw new BrokenCatalog();
    },
    isFresh: () => false,
    byPrefix: (prefix) => matches(packs, prefix).map((row) => row.toString("hex", 0, 32)),
    byContent: (hex) =>
      matches(contents, hex).map((row) => ({
        role: roles[row.readUInt8(32)] as ContentRole,
        pack: rowOf(packs, row.readUInt32LE(33)).toString("hex", 0, 32),
      })),
    byParent: (hex) => matches(children, hex).map((row) => row.toString("hex", 32, 64)),
    find(hex) {
      const [row] = matches(packs, hex);
      return row === undefined ? undefined : fromLine(lineAt(read, row.readDoubleLE(32), packs.at));
    },
    sessions: () => rowsOf(sessions).map((row) => row.toString("hex", 0, sessionKey)),
    bySession: (session) =>
      matches(sessions, session).map((row) =>
        rowOf(packs, row.readUInt32LE(sessionKey)).toString("hex", 0, 32),
      ),
    hidden: () =>
      new Map(
        rowsOf(hidden).map((row) => {
          const session = row.toString("hex", 32, 32 + sessionKey);
          return [row.toString("hex", 0, 32), session === noSession ? undefined : session];
        }),
      ),
  };
}

const ascii = /^[\x20-\x7e]*$/;

/** Encodes one pack as a line: a checksum, then JSON in UTF-8, of which each byte is a character here. */
function toLine(entry: HistoryEntry): string {
  const text = JSON.stringify(entry);
  const bytes = ascii.test(text) ? text : Buffer.from(text).toString("latin1");
  return `${checksum(bytes)} ${bytes}`;
}

function fromLine(line: string): HistoryEntry {
  const space = line.indexOf(" ");
  const bytes = line.slice(space + 1);
  if (line.slice(0, space) !== checksum(bytes)) throw new BrokenCatalog();
  const text = ascii.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8");
  return JSON.parse(text) as HistoryEntry;
}
