// The tables of a catalog: rows of one size, sorted by the key that they begin with, a hash. A row is found
// without reading the others, and has a checksum of its own, so a corrupt one is never believed.

export const sumSize = 4;
/** How many bytes of records are read at once. */
const pieceSize = 1 << 16;
/** A single record is looked up with less. */
const recordSize = 1 << 12;
const rowsAtOnce = 128;

/** Thrown if a catalog turns out to be damaged and must be rebuilt. */
export class BrokenCatalog extends Error {}

/** Reads bytes of a catalog, from memory or from a file. */
export type CatalogSource = (offset: number, length: number) => Buffer;

export interface RecordTable {
  read: CatalogSource;
  at: number;
  count: number;
  size: number;
  /** How many bytes of a row are its key. */
  key: number;
}

/** Returns one row. */
export function rowOf({ read, at, size }: RecordTable, number: number): Buffer {
  return sound(read(at + number * size, size));
}

/** Returns all rows. */
export function rowsOf({ read, at, count, size }: RecordTable): Buffer[] {
  const bytes = read(at, count * size);
  return Array.from({ length: count }, (_, row) => sound(bytes.subarray(row * size, (row + 1) * size)));
}

/** Returns the row if its checksum is right; throws otherwise. */
function sound(row: Buffer): Buffer {
  if (!hasSum(row)) throw new BrokenCatalog();
  return row;
}

/** Returns the rows whose key begins with these hex digits. */
export function matches(table: RecordTable, prefix: string): Buffer[] {
  let low = 0;
  let high = table.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rowOf(table, middle).toString("hex", 0, table.key) < prefix) low = middle + 1;
    else high = middle;
  }
  const found: Buffer[] = [];
  while (low < table.count) {
    const rows = Math.min(table.count - low, rowsAtOnce);
    const block = table.read(table.at + low * table.size, rows * table.size);
    for (let at = 0; at < block.length; at += table.size) {
      const row = sound(block.subarray(at, at + table.size));
      if (!row.toString("hex", 0, table.key).startsWith(prefix)) return found;
      found.push(row);
    }
    low += rows;
  }
  return found;
}

/** Yields the lines between two offsets. */
export function* lines(read: CatalogSource, from: number, to: number): Generator<string> {
  let rest = "";
  for (let at = from; at < to; at += pieceSize) {
    // As bytes: no character is ever cut.
    const text = rest + read(at, Math.min(pieceSize, to - at)).toString("latin1");
    const whole = text.split("\n");
    rest = whole.pop() as string;
    yield* whole;
  }
}

/** Returns the line that begins at an offset. */
export function lineAt(read: CatalogSource, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at += recordSize) {
    text += read(at, Math.min(recordSize, to - at)).toString("latin1");
    const end = text.indexOf("\n");
    if (end !== -1) return text.slice(0, end);
  }
  throw new BrokenCatalog();
}

/** Computes the FNV-1a checksum of a text: enough to notice a flipped bit in a cache. */
export function checksum(text: string): string {
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

export function putSum(bytes: Buffer): void {
  bytes.writeUInt32LE(sumOf(bytes), bytes.length - sumSize);
}

export function hasSum(bytes: Buffer): boolean {
  return bytes.readUInt32LE(bytes.length - sumSize) === sumOf(bytes);
}
