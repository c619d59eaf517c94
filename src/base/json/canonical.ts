// Canonical JSON: RFC 8785, with integers past 2^53 written digit by digit. Written by hand because every
// library rounds those integers; it returns bytes, not a string, so that a manifest may exceed the maximum
// length of a string.
import { ExactInteger } from "./value.js";

const chunkSize = 1 << 16;

/**
 * Returns the canonical form of a JSON value. Undefined members are left out; a value that is not JSON
 * throws.
 */
export function canonicalBytes(value: unknown): Buffer {
  const chunks: Buffer[] = [];
  canonicalPieces(value, (text) => chunks.push(Buffer.from(text, "utf8")));
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** Passes the canonical form to `take` in pieces: a document may exceed the maximum length of a string. */
export function canonicalPieces(value: unknown, take: (text: string) => void): void {
  const writer = new Writer(take);
  writer.write(value);
  take(writer.text);
}

/** Returns the canonical form as a string, for values that fit into one. */
export function canonicalText(value: unknown): string {
  const writer = new Writer(undefined);
  writer.write(value);
  return writer.text;
}

class Writer {
  text = "";
  /** Called with the text so far when it grows long. */
  readonly #take: ((text: string) => void) | undefined;

  constructor(take: ((text: string) => void) | undefined) {
    this.#take = take;
  }

  write(item: unknown): void {
    if (Array.isArray(item)) {
      this.text += "[";
      for (let index = 0; index < item.length; index++) {
        if (index > 0) this.text += ",";
        this.write(item[index]);
      }
      this.text += "]";
    } else if (typeof item === "object" && item !== null && !(item instanceof ExactInteger)) {
      const inOrder = ordered(item, { size: maxAtOnce });
      if (inOrder === unfit) this.#writeObject(item as Json);
      else this.text += JSON.stringify(inOrder);
    } else {
      this.text += scalar(item);
    }
    if (this.text.length > chunkSize && this.#take !== undefined) {
      this.#take(this.text);
      this.text = "";
    }
  }

  #writeObject(object: Json): void {
    this.text += "{";
    let first = true;
    for (const key of Object.keys(object).sort()) {
      const member = object[key];
      if (member === undefined) continue;
      this.text += first ? `${JSON.stringify(key)}:` : `,${JSON.stringify(key)}:`;
      first = false;
      this.write(member);
    }
    this.text += "}";
  }
}

/** A larger value is written member by member, so that no string gets too long. */
const maxAtOnce = 4096;
const unfit = Symbol("unfit");

/**
 * Returns the value with its members in order, so that JSON.stringify writes its canonical form; `unfit` if
 * it would not, or if the value is large. Measured: packing 200,000 steps takes 5 % less CPU time.
 */
function ordered(item: unknown, left: { size: number }): unknown {
  left.size -= typeof item === "string" ? item.length + 8 : 8;
  if (left.size < 0) return unfit;
  if (typeof item === "string" || typeof item === "boolean" || item === null) return item;
  if (typeof item === "number") return Number.isFinite(item) ? item : unfit;
  if (typeof item !== "object" || item instanceof ExactInteger) return unfit;
  return Array.isArray(item) ? orderedList(item, left) : orderedObject(item as Json, left);
}

type Json = Record<string, unknown>;

function orderedList(list: unknown[], left: { size: number }): unknown {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const member = ordered(list[at], left);
    if (member === unfit) return unfit;
    if (member !== list[at]) (copy ??= [...list])[at] = member;
  }
  return copy ?? list;
}

function orderedObject(object: Json, left: { size: number }): unknown {
  const keys = Object.keys(object);
  const isInOrder = isSorted(keys);
  if (!isInOrder) keys.sort();
  let copy: Json | undefined = isInOrder ? undefined : {};
  for (const key of keys) {
    const member = object[key] === undefined ? undefined : ordered(object[key], left);
    left.size -= key.length;
    // Plain assignment would lose it.
    if (member === unfit || key === "__proto__") return unfit;
    if (isInOrder && member !== object[key]) copy ??= { ...object };
    if (copy !== undefined) copy[key] = member;
  }
  // Keys that are numbers have an order of their own.
  return copy === undefined || isSorted(Object.keys(copy)) ? (copy ?? object) : unfit;
}

/** Returns whether keys are sorted by UTF-16 code units, as the RFC requires; in most objects they are. */
function isSorted(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if ((keys[at - 1] as string) > (keys[at] as string)) return false;
  return true;
}

function scalar(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value === 0) return "0";
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof ExactInteger) return value.digits;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw new TypeError(`a ${typeof value} is not JSON`);
}
