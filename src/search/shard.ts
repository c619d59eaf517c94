// A shard of the text index: which texts some packs have, in groups, and the n-grams of each group. A row of the table of
// n-grams has a bit for each group, so that a query reads one row for each n-gram.
//
//   header   magic, counts, where the store was
//   packs    32 bytes of hash, four for where its uses end
//   uses     four bytes for each text that a pack has: its number
//   texts    one byte of kind, 32 of hash: a content, or the parameters of a pack
//   groups   four bytes for where the texts of a group end, four for how many bytes they have
//   rows     for each n-gram, a bit for each group
import { endianness } from "node:os";
import { mapBits } from "./grams.js";
import { BrokenIndex, type CheckedFile } from "./checked-file.js";

const magic = "ctxtext2";
const headerSize = 48;
const packSize = 36;
const textSize = 33;
const groupSize = 8;
/** So many groups have a shard of a few megabytes. */
export const maxGroups = 256;

/** What a group holds: a content of the store, the parameters of all steps of a pack, or a content that could not be read. */
export type TextKind = "content" | "parameters" | "unread";
const kinds: readonly TextKind[] = ["content", "parameters", "unread"];

export interface IndexedText {
  kind: TextKind;
  /** The content, or the pack. */
  hex: string;
}

/** Where a store is, so that an index that came with a copy of it is not believed. */
export interface IndexPlace {
  ino: bigint;
  ctimeNs: bigint;
}

export interface Group {
  /** The number of the first text behind it. */
  end: number;
  bytes: number;
  /** A bit for each n-gram. */
  map: Uint8Array;
}

/** All of a shard, to be written. */
export interface ShardContent {
  packs: { hex: string; texts: readonly number[] }[];
  texts: IndexedText[];
  groups: Group[];
}

export function encodeShard({ packs, texts, groups }: ShardContent, place: IndexPlace): Buffer {
  const uses = packs.reduce((sum, pack) => sum + pack.texts.length, 0);
  const rowBytes = Math.ceil(groups.length / 8);
  const before =
    headerSize + packs.length * packSize + uses * 4 + texts.length * textSize + groups.length * groupSize;
  const bytes = Buffer.alloc(before + mapBits * rowBytes);
  bytes.write(magic, "latin1");
  [packs.length, uses, texts.length, groups.length].forEach((count, at) =>
    bytes.writeUInt32LE(count, 8 + at * 4),
  );
  bytes.writeBigUInt64LE(place.ino, 24);
  bytes.writeBigUInt64LE(place.ctimeNs, 32);
  let at = headerSize;
  let end = 0;
  for (const pack of packs) {
    bytes.write(pack.hex, at, "hex");
    end += pack.texts.length;
    at = bytes.writeUInt32LE(end, at + 32);
  }
  for (const pack of packs) for (const text of pack.texts) at = bytes.writeUInt32LE(text, at);
  for (const { kind, hex } of texts) {
    bytes.writeUInt8(kinds.indexOf(kind), at);
    bytes.write(hex, at + 1, "hex");
    at += textSize;
  }
  for (const group of groups) {
    at = bytes.writeUInt32LE(group.end, at);
    at = bytes.writeUInt32LE(Math.min(group.bytes, 0xffffffff), at);
  }
  fillRows(bytes.subarray(at), groups, rowBytes);
  return bytes;
}

const mapBytes = mapBits >>> 3;

/** Writes the maps of groups as rows: the bit of a group in each row is that of the row's n-gram in its map. */
function fillRows(rows: Uint8Array, groups: readonly Group[], rowBytes: number): void {
  for (let offset = 0; offset < rowBytes; offset++) {
    const maps = groups.slice(offset * 8, offset * 8 + 8).map(({ map }) => map);
    for (let byteAt = 0; byteAt < mapBytes; byteAt++) {
      let [low, high] = [0, 0];
      for (let at = 0; at < maps.length; at++) {
        const byte = (maps[at] as Uint8Array)[byteAt] as number;
        low |= (lowBits[byte] as number) << at;
        high |= (highBits[byte] as number) << at;
      }
      if ((low | high) === 0) continue;
      const first = byteAt * 8 * rowBytes + offset;
      for (let row = 0; row < 4; row++) {
        rows[first + row * rowBytes] = low >>> (row * 8);
        rows[first + (row + 4) * rowBytes] = high >>> (row * 8);
      }
    }
  }
}

/** Returns the maps of all groups. */
function readRows(rows: Uint8Array, count: number, rowBytes: number): Uint8Array[] {
  const maps = Array.from({ length: rowBytes * 8 }, () => new Uint8Array(mapBytes));
  for (let byteAt = 0; byteAt < mapBytes; byteAt++)
    for (let offset = 0; offset < rowBytes; offset++) {
      let [low, high] = [0, 0];
      for (let row = 0; row < 8; row++) {
        const byte = rows[(byteAt * 8 + row) * rowBytes + offset] as number;
        low |= (lowBits[byte] as number) << row;
        high |= (highBits[byte] as number) << row;
      }
      for (let at = 0; at < 4; at++) {
        (maps[offset * 8 + at] as Uint8Array)[byteAt] = low >>> (at * 8);
        (maps[offset * 8 + at + 4] as Uint8Array)[byteAt] = high >>> (at * 8);
      }
    }
  return maps.slice(0, count);
}

/** For each byte its four lower bits, and its four higher ones, as the lowest bits of four bytes. */
const lowBits = Uint32Array.from({ length: 256 }, (_, byte) => spread(byte & 15));
const highBits = Uint32Array.from({ length: 256 }, (_, byte) => spread(byte >>> 4));

function spread(bits: number): number {
  return (bits & 1) | ((bits & 2) << 7) | ((bits & 4) << 14) | ((bits & 8) << 21);
}

/** The packs of a shard. Few of thousands are looked at more closely. */
export class PackTable {
  readonly #bytes: Buffer;
  /** All of it in hex, of which names are slices. */
  readonly #hex: string;
  readonly #useCount: number;

  constructor(bytes: Buffer, useCount: number) {
    this.#bytes = bytes;
    this.#hex = bytes.toString("hex");
    this.#useCount = useCount;
  }

  get count(): number {
    return this.#bytes.length / packSize;
  }

  hexOf(number: number): string {
    return this.#hex.slice(number * packSize * 2, (number * packSize + 32) * 2);
  }

  /** Returns where the uses of a pack begin and end. */
  usesOf(number: number): { from: number; to: number } {
    const from = number === 0 ? 0 : this.#bytes.readUInt32LE(number * packSize - 4);
    const to = this.#bytes.readUInt32LE(number * packSize + packSize - 4);
    if (to < from || to > this.#useCount) throw new BrokenIndex();
    return { from, to };
  }
}

/** A shard on disk, of which only what is needed is read. */
export class Shard {
  readonly file: CheckedFile;
  readonly place: IndexPlace;
  readonly packCount: number;
  readonly groupCount: number;
  readonly #useCount: number;
  readonly #textCount: number;

  constructor(file: CheckedFile) {
    this.file = file;
    const header = file.read(0, headerSize);
    if (header.toString("latin1", 0, magic.length) !== magic) throw new BrokenIndex();
    this.packCount = header.readUInt32LE(8);
    this.#useCount = header.readUInt32LE(12);
    this.#textCount = header.readUInt32LE(16);
    this.groupCount = header.readUInt32LE(20);
    this.place = { ino: header.readBigUInt64LE(24), ctimeNs: header.readBigUInt64LE(32) };
    if (this.#rowsAt + mapBits * this.#rowBytes > file.size) throw new BrokenIndex();
  }

  get #rowBytes(): number {
    return Math.ceil(this.groupCount / 8);
  }

  get #usesAt(): number {
    return headerSize + this.packCount * packSize;
  }

  get #textsAt(): number {
    return this.#usesAt + this.#useCount * 4;
  }

  get #groupsAt(): number {
    return this.#textsAt + this.#textCount * textSize;
  }

  get #rowsAt(): number {
    return this.#groupsAt + this.groupCount * groupSize;
  }

  /** Returns the packs, each with where its uses begin and end. */
  packs(): { hex: string; from: number; to: number }[] {
    const table = this.packTable();
    return Array.from({ length: table.count }, (_, number) => ({
      hex: table.hexOf(number),
      ...table.usesOf(number),
    }));
  }

  packTable(): PackTable {
    return new PackTable(this.file.read(headerSize, this.packCount * packSize), this.#useCount);
  }

  /** Returns the texts of all packs, by number, one pack after the other. */
  uses(): Uint32Array {
    const uses = new Uint32Array(this.#useCount);
    const bytes = Buffer.from(uses.buffer);
    this.file.read(this.#usesAt, bytes.length).copy(bytes);
    // The file is little-endian; so are all machines that Node runs on, but for one.
    return endianness() === "LE" ? uses : uses.map((_, at) => bytes.readUInt32LE(at * 4));
  }

  text(number: number): IndexedText {
    const row = this.file.read(this.#textsAt + number * textSize, textSize);
    const kind = kinds[row.readUInt8(0)];
    if (kind === undefined) throw new BrokenIndex();
    return { kind, hex: row.toString("hex", 1) };
  }

  /** Returns the groups without their n-grams. */
  groups(): { end: number; bytes: number }[] {
    const table = this.file.read(this.#groupsAt, this.groupCount * groupSize);
    return Array.from({ length: this.groupCount }, (_, number) => ({
      end: table.readUInt32LE(number * groupSize),
      bytes: table.readUInt32LE(number * groupSize + 4),
    }));
  }

  /** Returns a bit for each group that may hold a text with these n-grams; undefined if none may. */
  groupsWith(grams: readonly number[]): Uint8Array | undefined {
    const all = new Uint8Array(this.#rowBytes).fill(0xff);
    for (const gram of grams) {
      const row = this.file.read(this.#rowsAt + gram * this.#rowBytes, this.#rowBytes);
      let rest = 0;
      for (let at = 0; at < all.length; at++) rest |= (all[at] as number) &= row[at] as number;
      if (rest === 0) return undefined;
    }
    return all;
  }

  /** Reads all of it, to be written again with more. */
  content(): ShardContent {
    const uses = this.uses();
    const rows = this.file.read(this.#rowsAt, mapBits * this.#rowBytes);
    const maps = readRows(rows, this.groupCount, this.#rowBytes);
    return {
      packs: this.packs().map(({ hex, from, to }) => ({ hex, texts: [...uses.subarray(from, to)] })),
      texts: Array.from({ length: this.#textCount }, (_, number) => this.text(number)),
      groups: this.groups().map((group, number) => ({
        ...group,
        map: maps[number] as Uint8Array,
      })),
    };
  }
}
