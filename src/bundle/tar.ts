// Writes tars of which every byte follows from names and sizes: ustar, no dates, no owners. Written by hand because it is forty
// lines, and a library's next version may write another byte.

export const blockSize = 512;
/** What every tar ends with. */
export const tarEnd: Buffer = Buffer.alloc(2 * blockSize);

/** The largest size that ustar can say in octal digits; what is larger is said in binary, as GNU tar does. */
const largestOctal = 0o77777777777;

export interface TarName {
  name: string;
  size: number;
  mode: number;
  isFolder?: boolean;
}

/** The block before an entry's bytes. */
export function tarHeader({ name, size, mode, isFolder = false }: TarName): Buffer {
  const { block: common, sum: known } = commonHeader(mode, isFolder);
  const block = Buffer.from(common);
  block.write(name, 0, 100, "latin1");
  if (size <= largestOctal) block.write(octal(size, 11), 124, "latin1");
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

/** What is the same in many headers, and its sum: there is no name in it yet, and no size. */
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

/** The sum of all bytes of a header, with blanks where the sum itself stands. */
export function checksum(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < blockSize; at++) sum += at >= 148 && at < 156 ? 0x20 : (block[at] as number);
  return sum;
}

/** How many zeros follow an entry of this size. */
export function paddingOf(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}

/** How many bytes an entry takes, with all that belongs to it. */
export function entrySize(size: number): number {
  return blockSize + size + paddingOf(size);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
