// Writes tars in which every byte follows from names and sizes: ustar, no dates, no owners. Written by hand
// because it is forty lines, and the next version of a library may write another byte.

export const blockSize = 512;
/** The end of every tar. */
export const tarEnd: Buffer = Buffer.alloc(2 * blockSize);

/** The largest size that ustar can express in octal digits; larger ones are binary, as in GNU tar. */
const maxOctal = 0o77777777777;

export interface TarName {
  name: string;
  size: number;
  mode: number;
  isFolder?: boolean;
}

/** Returns the header block of an entry. */
export function tarHeader({ name, size, mode, isFolder = false }: TarName): Buffer {
  const { block: common, sum: known } = commonHeader(mode, isFolder);
  const block = Buffer.from(common);
  block.write(name, 0, 100, "latin1");
  if (size <= maxOctal) block.write(octal(size, 11), 124, "latin1");
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  let sum = known;
  for (let at = 0; at < 100; at++) sum += block[at] as number;
  for (let at = 124; at < 136; at++) sum += block[at] as number;
  block.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return block;
}

const commonHeaders = new Map<string, { block: Buffer; sum: number }>();

/** Returns the part that many headers share, and its checksum: without a name and a size. */
function commonHeader(mode: number, isFolder: boolean): { block: Buffer; sum: number } {
  const known = commonHeaders.get(`${mode} ${isFolder}`);
  if (known !== undefined) return known;
  const block = Buffer.alloc(blockSize);
  block.write(octal(mode, 7), 100, "latin1");
  block.write(octal(0, 7), 108, "latin1");
  block.write(octal(0, 7), 116, "latin1");
  block.write(octal(0, 11), 136, "latin1");
  block.write(isFolder ? "5" : "0", 156, "latin1");
  block.write("ustar", 257, "latin1");
  block.write("00", 263, "latin1");
  block.write(octal(0, 7), 329, "latin1");
  block.write(octal(0, 7), 337, "latin1");
  const common = { block, sum: checksum(block) };
  commonHeaders.set(`${mode} ${isFolder}`, common);
  return common;
}

/** Returns the sum of all bytes of a header, with spaces in place of the sum itself. */
export function checksum(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < blockSize; at++) sum += at >= 148 && at < 156 ? 0x20 : (block[at] as number);
  return sum;
}

/** Returns how many zeros follow an entry of this size. */
export function paddingOf(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}

/** Returns how many bytes an entry takes, with header and padding. */
export function entrySize(size: number): number {
  return blockSize + size + paddingOf(size);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
