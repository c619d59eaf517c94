// Makes bad inputs from good ones, for every parser: JSON with other values, missing or duplicate keys,
// unexpected depths and numbers; lines out of order; bytes that are wrong, missing, or from another input.
// Never the same input twice.
import { createHash } from "node:crypto";
import type { Random } from "../../dev/drift/random.js";
import { brokenText, type Json, rawValues, strangeKeys, strangeTexts, strangeValues } from "./strange.js";

/**
 * Stand for what no value can say: raw text in place of a value, and an end of a key that is taken off again.
 */
const raw = "\ue000raw";
const twin = "\ue001";

export interface Growth {
  /** Keys in order, as in canonical JSON. */
  isSorted?: boolean;
  /** A mutation of its own for a format that is neither text nor JSON; undefined leaves it to the others. */
  own?: (seed: Buffer, random: Random) => Buffer | undefined;
}

export class Mutator {
  readonly #seeds: readonly Buffer[];
  readonly #random: Random;
  readonly #growth: Growth;
  readonly #seen = new Set<string>();

  constructor(seeds: readonly Buffer[], random: Random, growth: Growth = {}) {
    this.#seeds = seeds;
    this.#random = random;
    this.#growth = growth;
    // A good input is no attack.
    for (const seed of seeds) this.#isNew(seed);
  }

  /** Returns an input that was not made before. */
  next(): Buffer {
    for (;;) {
      const made = this.#make();
      if (this.#isNew(made)) return made;
    }
  }

  #isNew(bytes: Buffer): boolean {
    const key = createHash("sha1").update(bytes).digest("base64");
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #make(): Buffer {
    const random = this.#random;
    const seed = random.pick(this.#seeds);
    const own = this.#growth.own?.(seed, random);
    if (own !== undefined) return own;
    const way = random.between(0, 9);
    if (way < 2) return brokenBytes(seed, random.pick(this.#seeds), random);
    const text = seed.toString("utf8");
    const document = parsed(text);
    if (document !== undefined) return this.#written(this.#changed(document));
    const lines = text.split("\n");
    if (lines.some((line) => typeof parsed(line) === "object")) return this.#otherLines(lines);
    return way < 5 ? brokenBytes(seed, random.pick(this.#seeds), random) : brokenText(text, random);
  }

  #otherLines(original: readonly string[]): Buffer {
    const random = this.#random;
    const lines = original.filter((line) => line !== "");
    for (let count = random.between(1, 3); count > 0; count--) {
      const at = random.between(0, Math.max(0, lines.length - 1));
      const way = random.between(0, 11);
      if (way === 0) lines.splice(at, 1);
      else if (way === 1) lines.splice(random.between(0, lines.length), 0, lines[at] ?? "");
      else if (way === 2) lines.push(...lines.splice(at, random.between(1, 4)));
      else if (way === 3) {
        const other = random.pick(this.#seeds).toString("utf8").split("\n");
        lines.splice(at, 0, random.pick(other));
      } else if (way === 4)
        lines.splice(at, 0, random.pick(["", "null", "[]", "{}", "{", '"x"', "\0", "\ufeff"]));
      else {
        const value = parsed(lines[at] ?? "");
        lines[at] =
          value === undefined
            ? brokenText(lines[at] ?? "", random).toString("utf8")
            : this.#written(this.#changed(value)).toString("utf8");
      }
    }
    const end = random.chance(0.9) ? "\n" : random.pick(["", "\r\n", "\n\n\n"]);
    return Buffer.from(`${lines.join(random.chance(0.95) ? "\n" : "\r\n")}${end}`);
  }

  /** Returns the value with a few changes in it. */
  #changed(value: Json): Json {
    const random = this.#random;
    const whole = { value };
    for (let count = random.between(1, 4); count > 0; count--) {
      const holders = [...containers(whole)];
      const holder = random.pick(holders) as Record<string, Json>;
      const keys = Object.keys(holder);
      const key = keys.length === 0 ? "x" : random.pick(keys);
      this.#change(holder, key, holders);
    }
    return whole.value;
  }

  #change(holder: Record<string, Json>, key: string, holders: readonly object[]): void {
    const random = this.#random;
    const present = holder[key] ?? null;
    const isList = Array.isArray(holder);
    const way = random.between(0, 11);
    if (way === 0 && isList) (holder as unknown as Json[]).splice(Number(key) || 0, 1);
    else if (way === 0) delete holder[key];
    else if (way === 1 && isList) {
      const times = random.logBetween(1, 200);
      for (let count = 0; count < times; count++)
        (holder as unknown as Json[]).push(structuredClone(present));
    } else if (way === 1) set(holder, key + twin, random.chance(0.5) ? present : strange(random));
    else if (way === 2 && !isList) set(holder, random.pick(strangeKeys), present);
    else if (way === 3) set(holder, key, `${raw}${random.between(0, rawValues.length - 1)}`);
    else if (way === 4) set(holder, key, random.chance(0.5) ? [present] : { [key]: present });
    else if (way === 5) {
      // Something from elsewhere in the same document.
      const other = random.pick(holders) as Record<string, Json>;
      const values = Object.values(other);
      const taken = values.length === 0 ? null : random.pick(values);
      // Not a value that contains this one, which would have no end.
      if (JSON.stringify(taken).length < 20_000) set(holder, key, structuredClone(taken));
    } else if (way <= 8 && typeof present === "string")
      set(
        holder,
        key,
        random.chance(0.5) ? random.pick(strangeTexts) : brokenText(present, random).toString("utf8"),
      );
    else if (way <= 8 && typeof present === "number")
      set(
        holder,
        key,
        random.pick([-1, 0, -0, present + 1, -present, present / 3, 2 ** 31, 2 ** 32, 2 ** 53, 1e21, 1e308]),
      );
    else set(holder, key, strange(random));
  }

  #written(value: Json): Buffer {
    const text = JSON.stringify(this.#growth.isSorted === true ? sorted(value) : value) ?? "null";
    return Buffer.from(
      text
        .replaceAll(new RegExp(`"${raw}(\\d+)"`, "g"), (_, number) => rawValues[Number(number)] ?? "0")
        .replaceAll(`${twin}"`, '"'),
    );
  }
}

/** Returns bytes that are wrong, missing, doubled, or from another input. */
function brokenBytes(bytes: Buffer, other: Buffer, random: Random): Buffer {
  const at = random.between(0, bytes.length);
  const upTo = Math.min(bytes.length, at + random.logBetween(1, Math.max(1, bytes.length)));
  const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, upTo), bytes.subarray(upTo)];
  switch (random.between(0, 7)) {
    case 0:
      return before;
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, middle, middle, after]);
    case 3:
      return Buffer.concat([before, other.subarray(random.between(0, other.length))]);
    case 4:
      return Buffer.concat([before, Buffer.alloc(random.between(1, 600), random.between(0, 255)), after]);
    case 5:
      return Buffer.concat([
        Buffer.from(random.pick(["\ufeff", "\0", "\x1f\x8b", "PK\x03\x04", "[", " "])),
        bytes,
      ]);
    default: {
      const copy = Buffer.from(bytes);
      for (let count = random.between(1, 6); count > 0 && copy.length > 0; count--)
        copy[random.between(0, copy.length - 1)] = random.between(0, 255);
      return copy;
    }
  }
}

/** Returns a copy, which can be changed again. */
function strange(random: Random): Json {
  return structuredClone(random.pick(strangeValues));
}

/** The value of a text; undefined for one that is nested too deep. */
export function parsed(text: string): Json | undefined {
  if (/\[{250}|(?:\{"a":){250}/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Sets any key, also one that means something else to the engine. */
function set(holder: object, key: string, value: Json): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function* containers(value: Json): Generator<object> {
  if (typeof value !== "object" || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* containers(inner);
}

function sorted(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const copy = {};
  for (const key of Object.keys(value).sort()) set(copy, key, sorted(value[key] as Json));
  return copy;
}
