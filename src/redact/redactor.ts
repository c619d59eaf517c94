// Redacts credentials in every part of one run. The placeholder says which rule found the secret first and
// numbers the secrets of that rule; it says nothing about the secret itself.
// Over 300 lines: texts, bytes and values of a run are masked with one set of placeholders.
import { isObject, type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";
import { placeholders, type Redactions } from "../model/redactions.js";
import { decode, decodedAs, type Encoding, encode, encodingOf, inPieces, wholeUnits } from "./encoding.js";
import { beginOf, endOf, type Match, outsideMarks, united } from "./matches.js";
import {
  contentNames,
  maxMemberLength,
  longestName,
  membersBefore,
  nameIn,
  optionBefore,
  ownKeys,
  secretNamePattern,
  unusedKey,
  writtenSecret,
} from "./members.js";
import type { Printing } from "./printing.js";
import { contextOf, isWide, type ContentScan, secondReading } from "./content-scan.js";
import type { ScanContext, Scanner } from "./scanner.js";
import { OtherSecrets, type SharedSecrets } from "./shared-secrets.js";
import { widened } from "./wide.js";
import { isShort, throughWindows } from "./windows.js";

/** Number of findings of each rule. */
export type Hits = ReadonlyMap<string, number>;

export interface Masked<T> {
  value: T;
  /** Empty when nothing is redacted; the value is then the input itself. */
  hits: Hits;
}

interface PlacedMask {
  /** The rule that found the secret first. */
  rule: string;
  placeholder: string;
}

const none: Hits = new Map();
/** Shorter texts are never redacted, and placeholders never are. */
const minLength = 8;
/** Except in the output of a command that prints secrets. */
const minPrintedLength = 6;

/** Most secrets that are remembered, and most that are searched for in texts where no rule finds them. */
const maxKnown = 20_000;
const maxPlain = 32;
const maxNumbers = 1_000_000;
const mostClean = 1000;
const maxCleanLength = 64;

/** Returns whether a text that is a secret in one place is hardly anything else in another. */
function isDistinctive(secret: string): boolean {
  return (
    secret.length >= 8 &&
    secret.length <= 200 &&
    !/[\s"\\]/.test(secret) &&
    /\d/.test(secret) &&
    /[A-Za-z]/.test(secret)
  );
}

/** No text seen so far needs more. */
const maxRounds = 3;

export class Redactor {
  readonly #search: Scanner;
  readonly #known = new Map<string, PlacedMask>();
  /** Secrets that are searched for everywhere. */
  readonly #plain = new Map<string, PlacedMask>();
  readonly #others: OtherSecrets;
  /** Number of other runs' secrets that the texts of `#clean` do not contain. */
  #cleanOf = 0;
  /** Short texts without findings: keys of objects, names of tools and the like recur. */
  readonly #clean = new Set<string>();
  #isUsed = false;
  /** Reused for the next value: nearly all values have no findings. */
  #unused = new Map<string, number>();
  /** The last number that each rule has assigned. */
  readonly #last: Map<string, number>;

  /** Whether placeholders from an earlier redaction count. */
  readonly #isAgain: boolean;

  /** `before`: what was already redacted in the run. `shared`: secrets of all runs of the log. */
  constructor(search: Scanner, before?: Redactions, shared?: SharedSecrets) {
    this.#search = search;
    this.#others = new OtherSecrets(shared);
    this.#isAgain = before !== undefined;
    this.#last = new Map(Object.entries(before?.rules ?? {}).map(([rule, { secrets }]) => [rule, secrets]));
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Number of known secrets that are searched for everywhere. */
  get learned(): number {
    return this.#plain.size + this.#others.list.length;
  }

  /** Returns the known secrets that are searched for everywhere. */
  spreading(): string[] {
    return [...this.#plain.keys(), ...this.#others.list.map(({ secret }) => secret)];
  }

  /** Number of secrets that each rule has found. */
  get last(): Hits {
    return this.#last;
  }

  /** Redacts bytes. `isClean`: no rule finds anything in them, and nothing in them was redacted before. */
  bytes(
    bytes: Buffer,
    { isClean = false, scan = {} }: { isClean?: boolean; scan?: ContentScan } = {},
  ): Masked<Buffer> {
    const known = isClean ? this.spreading() : [];
    if (isClean && !known.some((secret) => bytes.includes(secret))) return { value: bytes, hits: none };
    if (bytes.length < minPrintedLength) return { value: bytes, hits: none };
    const encoding = encodingOf(bytes);
    const first = this.#bytesAs(encoding, bytes, scan);
    if (!isWide(encoding)) return first;
    const { value, hits } = this.#bytesAs("latin1", first.value, secondReading(scan));
    if (hits.size === 0) return first;
    const both = new Map(first.hits);
    addHits(both, hits);
    return { value, hits: both };
  }

  #bytesAs(encoding: Encoding, bytes: Buffer, scan: ContentScan): Masked<Buffer> {
    scan.encoding = encoding;
    if (isShort(bytes)) {
      const { value, hits } = this.#text(decode(bytes, encoding), scan);
      if (hits.size === 0) return { value: bytes, hits };
      const rest = bytes.subarray(wholeUnits(bytes, encoding));
      const masked = encode(value, encoding);
      return { value: rest.length === 0 ? masked : Buffer.concat([masked, rest]), hits };
    }
    const hits = new Map<string, number>();
    const masked: Buffer[] = [];
    const texts = decodedAs(inPieces(bytes), encoding, (rest) => void masked.push(rest));
    const parts = [...this.texts(texts, hits, scan)].map((text) => encode(text, encoding));
    return hits.size === 0
      ? { value: bytes, hits: none }
      : { value: Buffer.concat([...parts, ...masked]), hits };
  }

  text(text: string): Masked<string> {
    return this.#text(text, {});
  }

  #text(text: string, scan: ContentScan): Masked<string> {
    const others = this.#others.list.length;
    if (others > this.#cleanOf) this.#clean.clear();
    this.#cleanOf = others;
    const isKnown = scan.printing === undefined && this.#clean.has(text);
    if (text.length < (scan.printing === undefined ? minLength : minPrintedLength) || isKnown)
      return { value: text, hits: none };
    if (!isShort(text)) {
      const hits = new Map<string, number>();
      const masked = [...this.texts([text], hits, scan)].join("");
      return hits.size === 0 ? { value: text, hits: none } : { value: masked, hits };
    }
    const context = contextOf(scan, text);
    const found = this.#find(text, context);
    if (found.length === 0 && !this.#isAgain) {
      if (text.length <= maxCleanLength && context === undefined) this.#noteClean(text);
      return { value: text, hits: none };
    }
    const hits = new Map<string, number>();
    return { value: this.#replace(text, found, hits, context), hits };
  }

  #noteClean(text: string): void {
    if (this.#clean.size >= mostClean) this.#clean.clear();
    this.#clean.add(text);
  }

  /** Redacts a text in pieces; adds the findings to `hits`. */
  texts(texts: Iterable<string>, hits: Map<string, number>, scan: ContentScan = {}): Generator<string> {
    return throughWindows(texts, {
      find: (text) =>
        this.#find(text, contextOf(scan, text, true)).map((found) => ({
          ...found,
          from: beginOf(found),
          to: endOf(found),
        })),
      replace: (text, found) => this.#replace(text, found, hits, contextOf(scan, text, true)),
    });
  }

  /** Redacts all strings of a value; a member's name counts as evidence for its string. */
  value<T extends JsonValue>(value: T): Masked<T> {
    if (typeof value === "string" && value.length < minLength) return { value, hits: none };
    const hits = this.#unused;
    const masked = this.#value(value, hits) as T;
    if (hits.size === 0) return { value, hits: none };
    this.#unused = new Map();
    return { value: masked, hits };
  }

  #value(value: JsonValue, hits: Map<string, number>, name = ""): JsonValue {
    if (typeof value === "string") return this.#member(value, hits, name);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const list = value.map((item, at) => this.#value(item, hits, optionBefore(value[at - 1]) ?? name));
      return list.every((item, at) => item === value[at]) ? value : list;
    }
    if (!isObject(value)) return value;
    const named = nameIn(value);
    const written = writtenSecret(value);
    // Nearly always nothing changes, and nothing is copied.
    let object: JsonObject | undefined;
    for (const key of Object.keys(value)) {
      const item = value[key] as JsonValue;
      const { value: maskedKey, hits: more } = ownKeys.has(key) ? { value: key, hits: none } : this.text(key);
      addHits(hits, more);
      const isWritten = written !== undefined && typeof item === "string" && contentNames.has(key);
      const masked = isWritten
        ? this.#written(item, hits, written)
        : this.#value(item, hits, key === "value" ? named : key);
      if (object === undefined && maskedKey === key && masked === item) continue;
      object ??= membersBefore(value, key);
      setOwn(object, unusedKey(object, maskedKey), masked);
    }
    return object ?? value;
  }

  /** Redacts what is written to a file that holds a secret. */
  #written(text: string, hits: Map<string, number>, printing: Printing): string {
    const { value, hits: more } = this.#text(text, { printing });
    addHits(hits, more);
    return value;
  }

  #member(text: string, hits: Map<string, number>, name: string): string {
    const { value, hits: more } = this.text(text);
    addHits(hits, more);
    const end = name.slice(-longestName);
    if (more.size > 0 || !secretNamePattern.test(end) || text.length < 6 || text.length > maxMemberLength)
      return value;
    // Scanned as if it were written in a file, so that all rules for non-secrets apply.
    const isSecret = [`${end}="${text}"`, `${end}=${text}`].some((line) =>
      this.#search.find(line).some((found) => found.secret === text),
    );
    if (!isSecret) return value;
    const whole = { rule: "named-secret", secret: text, pieces: [{ from: 0, to: text.length }] };
    return this.#replace(text, [whole], hits);
  }

  /**
   * Replaces matches until nothing more is found: the text beside a secret may read differently once the
   * secret is gone.
   */
  #replace(text: string, all: readonly Match[], hits: Map<string, number>, context?: ScanContext): string {
    let masked = text;
    let found = all;
    for (let round = 0; round < maxRounds && found.length > 0; round++) {
      masked = this.#replaceOnce(masked, found, hits);
      found = this.#find(masked, context);
    }
    if (this.#isAgain && masked.includes("[REDACTED:"))
      for (const [, rule = ""] of masked.matchAll(placeholders)) hits.set(rule, (hits.get(rule) ?? 0) + 1);
    return masked;
  }

  #replaceOnce(text: string, all: readonly Match[], hits: Map<string, number>): string {
    let masked = "";
    let at = 0;
    for (const { rule: found, secret, pieces, isWeak } of all) {
      let { placeholder, rule } = this.#mark(found, secret, isWeak === true);
      if (!this.#isAgain) hits.set(rule, (hits.get(rule) ?? 0) + 1);
      for (const { from, to } of pieces) {
        masked += text.slice(at, from) + widened(placeholder, text.slice(from, to));
        placeholder = "";
        at = to;
      }
    }
    return masked + text.slice(at);
  }

  /** Finds matches of the rules, and known secrets of this run and others wherever they occur. */
  #find(text: string, context?: ScanContext): readonly Match[] {
    this.#noteMarks(text);
    const found = this.#search.find(text, context);
    const known: Match[] = [];
    const add = (secret: string, rule: string): void => {
      for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
        known.push({ rule, secret, pieces: [{ from: at, to: at + secret.length }] });
    };
    for (const [secret, { rule }] of this.#plain) add(secret, rule);
    for (const { secret, rule } of this.#others.list) if (!this.#plain.has(secret)) add(secret, rule);
    return known.length === 0 ? found : united(text, [...found, ...outsideMarks(known, text)]);
  }

  /** Reserves the numbers of placeholders that the log already contains: they stand for other secrets. */
  #noteMarks(text: string): void {
    if (this.#isAgain || !text.includes("[REDACTED:")) return;
    for (const [, rule = "", digits = ""] of text.matchAll(placeholders)) {
      const number = Number(digits);
      if (number < maxNumbers && number > (this.#last.get(rule) ?? 0)) this.#last.set(rule, number);
    }
  }

  /** Returns the placeholder of a secret: always the same, whichever rule finds it later. */
  #mark(rule: string, secret: string, isWeak: boolean): PlacedMask {
    let mark = this.#known.get(secret);
    if (mark === undefined) {
      const number = (this.#last.get(rule) ?? 0) + 1;
      this.#last.set(rule, number);
      mark = { rule, placeholder: `[REDACTED:${rule}:${number}]` };
      this.#isUsed = true;
      // A text full of secrets must not fill the memory: further ones get new numbers each time.
      if (this.#known.size < maxKnown) this.#known.set(secret, mark);
    }
    const isSpread = !isWeak && isDistinctive(secret) && !this.#plain.has(secret);
    if (isSpread && this.#plain.size < maxPlain) {
      this.#plain.set(secret, mark);
      this.#others.share(secret, mark.rule);
      this.#clean.clear();
    }
    return mark;
  }
}

export function addHits(hits: Map<string, number>, more: Hits): void {
  for (const [rule, count] of more) hits.set(rule, (hits.get(rule) ?? 0) + count);
}
