// Random numbers from a seed: a case of the property test is the same on every machine, and can be run again
// alone.
import type { Reference } from "../../src/base/digest.js";

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 32 bits (mulberry32). */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 up to, not including, 1. */
  unit(): number {
    return this.bits() / 0x1_0000_0000;
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  /** The same, each order of magnitude as likely as the next. */
  logBetween(low: number, high: number): number {
    return Math.min(high, Math.floor(low * Math.exp(this.unit() * Math.log((high + 1) / low))));
  }

  pick<T>(values: readonly T[]): T {
    return values[this.between(0, values.length - 1)] as T;
  }

  shuffled<T>(values: readonly T[]): T[] {
    const result = [...values];
    for (let last = result.length - 1; last > 0; last--) {
      const other = this.between(0, last);
      [result[last], result[other]] = [result[other] as T, result[last] as T];
    }
    return result;
  }

  /** Returns a value that no other call returns. */
  word(): string {
    return `w${this.bits().toString(36)}${this.bits().toString(36)}`;
  }

  reference(): Reference {
    let hex = "";
    for (let part = 0; part < 8; part++) hex += this.bits().toString(16).padStart(8, "0");
    return `sha256:${hex}`;
  }
}

/** Returns one seed from several numbers. */
export function seedOf(...numbers: number[]): number {
  let seed = 0x9e3779b9;
  for (const number of numbers)
    seed = new Random(Math.imul(seed ^ number, 0x85ebca6b) ^ (seed >>> 13)).bits();
  return seed;
}
