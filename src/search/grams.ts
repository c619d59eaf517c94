// The n-grams of a text as bits: every three and every five bytes in a row set one bit of a group's map. A text that a
// group contains has all its bits there, so a group without one of them need not be searched.

/** How many bits a map has. 3-grams and 5-grams share it: 3-grams alone leave six times as many groups to search. */
export const mapBits = 1 << 17;
const mask = mapBits - 1;

/** Sets the bits of a text in a map of `mapBits` bits. ASCII letters count in lower case. */
export function addGrams(map: Uint8Array, bytes: Uint8Array): void {
  // The last five bytes, in lower case; the oldest in the highest place.
  let [a, b, c, d] = [0, 0, 0, 0];
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number;
    const e = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (at >= 2) {
      const bit = threeBit(c, d, e);
      (map[bit >>> 3] as number) |= 1 << (bit & 7);
      if (at >= 4) {
        const other = fiveBit(a, b, bit);
        (map[other >>> 3] as number) |= 1 << (other & 7);
      }
    }
    a = b;
    b = c;
    c = d;
    d = e;
  }
}

function threeBit(c: number, d: number, e: number): number {
  return (Math.imul((c << 16) | (d << 8) | e, 0x9e3779b1) >>> 15) & mask;
}

/** The bit of five bytes follows from the first two and the bit of the last three. */
function fiveBit(a: number, b: number, three: number): number {
  return (Math.imul(((a << 8) | b) ^ Math.imul(three, 0x85ebca6b), 0xc2b2ae35) >>> 15) & mask;
}

/** Returns the bits of a text, without repeats; empty if it is too short to have any. */
export function gramsOf(text: string): number[] {
  const bytes = Buffer.from(text);
  const map = new Uint8Array(mapBits >>> 3);
  addGrams(map, bytes);
  const bits: number[] = [];
  for (const [at, byte] of map.entries())
    for (let bit = 0; byte >>> bit !== 0; bit++) if (((byte >>> bit) & 1) === 1) bits.push(at * 8 + bit);
  return bits;
}
