// The bytes of the catalog: one entry per pack in the order of `ctx log`, and tables to look up packs by
// hash, by content and by parent. The layout lets a query read only the part it needs, however many packs
// there are. Every part has a checksum of its own, so a corrupt part is never believed.
//
//   header    magic, counts, lengths, and the times of packs/ when it was listed
//   records   one JSON line per pack, newest first
//   packs     32 bytes of hash; sorted
//   contents  32 bytes of hash, one of role, four for the pack's row number in the table above; sorted
//   children  32 bytes of the parent's hash, 32 of the pack's; sorted, and newest first for each parent
import type { HistoryEntry } from "./history.js";

const magic = "ctxcat10";
const sumSize = 4;
const headerSize = 48 + sumSize;
const packSize = 32 + sumSize;
const contentSize = 32 + 1 + 4 + sumSize;
const childSize = 32 + 32 + sumSize;
const pieceSize = 1 << 16;
const rowsAtOnce = 128;

/** Whether a content was an output or an input of the pack. */
export type ContentRole = "output" | "input";
const roles: readonly ContentRole[] = ["output", "input"];

/** When a folder's entries last changed, in nanoseconds. */
export interface FolderTimes {
  mtimeNs: bigint;
  ctimeNs: bigint;
}

/** Thrown if a catalog turns out to be damaged and must be rebuilt. */
export class BrokenCatalog extends Error {}

/** Reads bytes of a catalog, from memory or from a file. */
export type CatalogSource = (offset: number, length: number) => Buffer;

export interface Catalog {
  count: number;
  /** How many packs could not be read when they were catalogued. */
  damaged: number;
  times: FolderTimes;
  /** Iterates over all packs, newest first; reads them lazily. */
  entries(): IterableIterator<HistoryEntry>;
  /** Whether an entry was read from the pack itself just now. */
  isFresh(hex: string): boolean;
  /** Returns the hashes of packs that begin with these digits, sorted. */
  byPrefix(prefix: string): string[];
  /** Returns the packs that have a content among their outputs or inputs. */
  byContent(hex: string): { pack: string; role: ContentRole }[];
  /** Returns the packs whose parent is this one, newest first, without those that could not be read. */
  byParent(hex: string): string[];
}

/** Encodes a catalog of packs that are already sorted. */
export function encodeCatalog(entries: readonly HistoryEntry[], times: FolderTimes): Buffer {
  const records = Buffer.from(entries.map((entry) => `${toLine(entry)}\n`).join(""));
  const packs = entries.map((entry) => entry.hex).sort();
  const numbers = new Map(packs.map((hex, number) => [hex, number]));
  const contents = entries.flatMap(({ hex, contents: held }) =>
    held.map(({ hex: content, role }) => ({ content, role, number: numbers.get(hex) as number })),
  );
  contents.sort((a, b) => (a.content < b.content ? -1 : a.content > b.content ? 1 : a.number - b.number));
  const children = entries.flatMap(({ hex, content }) =>
    "damage" in content || content.parent === undefined ? [] : { parent: content.parent, hex },
  );
  children.sort((a, b) => (a.parent < b.parent ? -1 : a.parent > b.parent ? 1 : 0));
  const sizes = packs.length * packSize + contents.length * contentSize + children.length * childSize;
  const tables = Buffer.alloc(sizes);
  let at = 0;
  /** Ends a row of `size` bytes with their checksum. */
  const end = (size: number): void => {
    at += size;
    putSum(tables.subarray(at - size, at));
  };
  for (const hex of packs) {
    tables.write(hex, at, "hex");
    end(packSize);
  }
  for (const { content, role, number } of contents) {
    tables.write(content, at, "hex");
    tables.writeUInt8(roles.indexOf(role), at + 32);
    tables.writeUInt32LE(number, at + 33);
    end(contentSize);
  }
  for (const { parent, hex } of children) {
    tables.write(parent + hex, at, "hex");
    end(childSize);
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
  putSum(header);
  return Buffer.concat([header, records, tables]);
}

/** Decodes a catalog of `length` bytes; undefined if it is not a catalog, or incomplete. */
export function decodeCatalog(read: CatalogSource, length: number): Catalog | undefined {
  if (length < headerSize) return undefined;
  const header = read(0, headerSize);
  if (header.toString("latin1", 0, magic.length) !== magic || !hasSum(header)) return undefined;
  const count = header.readUInt32LE(8);
  const packs: RecordTable = {
    read,
    size: packSize,
    count,
    at: headerSize + Number(header.readBigUInt64LE(16)),
  };
  const contentCount = header.readUInt32LE(12);
  const contents: RecordTable = {
    read,
    size: contentSize,
    count: contentCount,
    at: packs.at + count * packSize,
  };
  const childCount = header.readUInt32LE(44);
  const children: RecordTable = {
    read,
    size: childSize,
    count: childCount,
    at: contents.at + contentCount * contentSize,
  };
  if (children.at + childCount * childSize !== length) return undefined;
  return {
    count,
    damaged: header.readUInt32LE(40),
    times: { mtimeNs: header.readBigUInt64LE(24), ctimeNs: header.readBigUInt64LE(32) },
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
  };
}

/** Rows of one size, sorted by the 32 bytes of hash that they begin with. */
interface RecordTable {
  read: CatalogSource;
  at: number;
  count: number;
  size: number;
}

function rowOf({ read, at, size }: RecordTable, number: number): Buffer {
  return sound(read(at + number * size, size));
}

/** Returns the row if its checksum is right; throws otherwise. */
function sound(row: Buffer): Buffer {
  if (!hasSum(row)) throw new BrokenCatalog();
  return row;
}

/** Returns the rows whose hash begins with these hex digits. */
function matches(table: RecordTable, prefix: string): Buffer[] {
  let low = 0;
  let high = table.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rowOf(table, middle).toString("hex", 0, 32) < prefix) low = middle + 1;
    else high = middle;
  }
  const found: Buffer[] = [];
  while (low < table.count) {
    const rows = Math.min(table.count - low, rowsAtOnce);
    const block = table.read(table.at + low * table.size, rows * table.size);
    for (let at = 0; at < block.length; at += table.size) {
      const row = sound(block.subarray(at, at + table.size));
      if (!row.toString("hex", 0, 32).startsWith(prefix)) return found;
      found.push(row);
    }
    low += rows;
  }
  return found;
}

function* lines(read: CatalogSource, from: number, to: number): Generator<string> {
  let rest = "";
  for (let at = from; at < to; at += pieceSize) {
    // Lines are ASCII, so no character is ever cut.
    const text = rest + read(at, Math.min(pieceSize, to - at)).toString("latin1");
    const whole = text.split("\n");
    rest = whole.pop() as string;
    yield* whole;
  }
}

const ascii = /^[\x20-\x7e]*$/;

/** Encodes one pack as a line: a checksum, then ASCII text with other characters escaped. */
function toLine(entry: HistoryEntry): string {
  const text = JSON.stringify(entry);
  const plain = ascii.test(text)
    ? text
    : text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `${checksum(plain)} ${plain}`;
}

function fromLine(line: string): HistoryEntry {
  const space = line.indexOf(" ");
  const text = line.slice(space + 1);
  if (line.slice(0, space) !== checksum(text)) throw new BrokenCatalog();
  return JSON.parse(text) as HistoryEntry;
}

/** Computes the FNV-1a checksum of a text: enough to notice a flipped bit in a cache. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** Computes the same checksum over all bytes but the last `sumSize`, which hold it. */
function sumOf(bytes: Buffer): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < bytes.length - sumSize; index++)
    hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193);
  return hash >>> 0;
}

function putSum(bytes: Buffer): void {
  bytes.writeUInt32LE(sumOf(bytes), bytes.length - sumSize);
}

function hasSum(bytes: Buffer): boolean {
  return bytes.readUInt32LE(bytes.length - sumSize) === sumOf(bytes);
}
