// The n-grams of a text as bits: every three and every five bytes in a row set one bit of a group's map. A text that a
// group contains has all its bits there, so a group without one of them need not be searched.

/** How many bits a map has. 3-grams and 5-grams share it: 3-grams alone leave six times as many groups to search. */
export const mapBits = 1 << 17;

/** The n-grams of some texts. ASCII letters count in lower case. */
export class GramSet {
  /** A byte for each bit of the map: to set it takes half as long. */
  readonly #seen = new Uint8Array(mapBits);

  add(bytes: Uint8Array): void {
    const { length } = bytes;
    const seen = this.#seen;
    // The four bytes before the current one, in lower case; the oldest first.
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let at = 0; at < Math.min(length, 4); at++) {
      const e = lower[bytes[at] as number] as number;
      if (at >= 2) seen[threeBit(c, d, e)] = 1;
      [a, b, c, d] = [b, c, d, e];
    }
    for (let at = 4; at < length; at++) {
      const e = lower[bytes[at] as number] as number;
      const three = threeBit(c, d, e);
      seen[three] = 1;
      seen[fiveBit(a, b, three)] = 1;
      a = b;
      b = c;
      c = d;
      d = e;
    }
  }

  /** Returns the map, and forgets all n-grams. */
  take(): Uint8Array {
    const fours = new Uint32Array(this.#seen.buffer);
    const map = new Uint8Array(mapBits >>> 3);
    for (let at = 0; at < map.length; at++)
      map[at] = fourBits(fours[2 * at] as number) | (fourBits(fours[2 * at + 1] as number) << 4);
    this.#seen.fill(0);
    return map;
  }
}

const lower = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte,
);

/** Both return 17 bits. */
function threeBit(c: number, d: number, e: number): number {
  return Math.imul((c << 16) | (d << 8) | e, 0x9e3779b1) >>> 15;
}

/** The bit of five bytes follows from the first two and the bit of the last three. */
function fiveBit(a: number, b: number, three: number): number {
  return Math.imul(((a << 8) | b) ^ Math.imul(three, 0x85ebca6b), 0xc2b2ae35) >>> 15;
}

/** Returns the lowest bits of four bytes, the first byte's first. */
function fourBits(bytes: number): number {
  return Math.imul(bytes, 0x10204080) >>> 28;
}

/** Returns the bits of a text, without repeats; empty if it is too short to have any. */
export function gramsOf(text: string): number[] {
  const bytes = Buffer.from(text).map((byte) => lower[byte] as number);
  const bits = new Set<number>();
  for (let at = 2; at < bytes.length; at++) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = [-4, -3, -2, -1, 0].map((back) => bytes[at + back]);
    const three = threeBit(c, d, e);
    bits.add(three);
    if (at >= 4) bits.add(fiveBit(a, b, three));
  }
  return [...bits];
}
