// Different texts, each with a number, as a shard of facts keeps them: one after the other, with a line feed behind each.

/** Numbers different texts. */
export class TextTable {
  readonly #numbers = new Map<string, number>();
  readonly #texts: Buffer[] = [];
  readonly #ends: number[] = [];
  length = 0;

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const bytes = Buffer.from(`${text}\n`);
    this.length += bytes.length;
    this.#texts.push(bytes);
    this.#numbers.set(text, this.#ends.length);
    return this.#ends.push(this.length) - 1;
  }

  get ends(): Buffer {
    return numbers(this.#ends);
  }

  get texts(): Buffer {
    return Buffer.concat(this.#texts);
  }
}

/** Returns the bytes of numbers, four for each. */
export function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, at * 4);
  return bytes;
}

/** Returns as much of a text as there is room for, cut between characters. */
export function beginning(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  return Buffer.from(text)
    .subarray(0, most)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
}

/** Texts, each with a line feed behind it, and where each ends. */
export interface Texts {
  ends: Uint32Array;
  bytes: Buffer;
}

export function textAt({ ends, bytes }: Texts, number: number): string {
  return bytes.toString("utf8", number === 0 ? 0 : ends[number - 1], (ends[number] as number) - 1);
}

/** Returns the number of the text that a byte belongs to. */
export function numberAt({ ends }: Texts, offset: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] as number) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
