// Makes zip archives, also malicious ones.
import * as zlib from "node:zlib";
import { crc32 } from "../src/intake/zip.js";

export interface Packed {
  name: string;
  content: string | Buffer;
  /** 0 as it is; 8, deflate, where nothing is said. */
  method?: number;
  /** Values that the archive states, if they differ from the true ones. */
  says?: { size?: number; packedSize?: number; crc?: number; offset?: number; flags?: number };
  /** Sizes and offset are in a field of their own. */
  isLarge?: boolean;
  /** The bytes as they are stored. */
  bytes?: Buffer;
}

export interface ZipOptions {
  /** Values that the end of the archive states. */
  says?: { count?: number; start?: number; size?: number };
  isLarge?: boolean;
  comment?: string;
}

export function zipOf(entries: readonly Packed[], options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { local, central } = headersOf(entry, at);
    parts.push(local);
    directory.push(central);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const { count = entries.length, start = at, size = central.length } = options.says ?? {};
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(options.isLarge === true ? 0xffff : count, 10);
  end.writeUInt32LE(options.isLarge === true ? 0xffffffff : size, 12);
  end.writeUInt32LE(options.isLarge === true ? 0xffffffff : start, 16);
  const comment = Buffer.from(options.comment ?? "");
  end.writeUInt16LE(comment.length, 20);
  const large = options.isLarge === true ? [largeEnd({ count, start, size }, at + central.length)] : [];
  return Buffer.concat([...parts, central, ...large, end, comment]);
}

/** Returns an archive of JSON documents. */
export function archiveOf(documents: Record<string, unknown>, method = 8): Buffer {
  return zipOf(
    Object.entries(documents).map(([name, value]) => ({ name, content: JSON.stringify(value), method })),
  );
}

function headersOf(entry: Packed, at: number): { local: Buffer; central: Buffer } {
  const content = Buffer.from(entry.content as string);
  const { method = 8, says = {}, isLarge = false } = entry;
  const data = entry.bytes ?? (method === 8 ? zlib.deflateRawSync(content) : content);
  const name = Buffer.from(entry.name);
  const {
    size = content.length,
    packedSize = data.length,
    crc = crc32(content),
    offset = at,
    flags = 0,
  } = says;
  const extra = isLarge ? largeField([size, packedSize, offset]) : Buffer.alloc(0);
  const small = (value: number): number => (isLarge ? 0xffffffff : value >>> 0);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(flags, 6);
  local.writeUInt16LE(method, 8);
  local.writeUInt32LE(crc, 14);
  local.writeUInt32LE(small(packedSize), 18);
  local.writeUInt32LE(small(size), 22);
  local.writeUInt16LE(name.length, 26);
  local.writeUInt16LE(extra.length, 28);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(flags, 8);
  central.writeUInt16LE(method, 10);
  central.writeUInt32LE(crc, 16);
  central.writeUInt32LE(small(packedSize), 20);
  central.writeUInt32LE(small(size), 24);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt16LE(extra.length, 30);
  central.writeUInt32LE(small(offset), 42);
  return { local: Buffer.concat([local, name, extra, data]), central: Buffer.concat([central, name, extra]) };
}

function largeField(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + values.length * 8);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  return field;
}

function largeEnd(
  { count, start, size }: { count: number; start: number; size: number },
  at: number,
): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(at), 8);
  return Buffer.concat([record, locator]);
}
