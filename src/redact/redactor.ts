// Masks what is surely a credential, in every part of one run. The placeholder says which rule found it and which of its finds it is, and
// nothing about the secret itself.
import { isUtf8 } from "node:buffer";
import { isObject, type JsonObject, type JsonValue, setOwn } from "../base/json.js";
import { contextRules } from "./context-rules.js";
import { findInBase64, findInUrl } from "./encoded.js";
import { bookings, endOf, finderOf, type Found, startOf } from "./find.js";
import { isLikelySecret } from "./likely.js";
import { namedRules } from "./named-rules.js";
import { providerRules } from "./provider-rules.js";
import type { Rule } from "./rule.js";

export type Mode = "off" | "standard" | "strict";

export interface RedactOptions {
  mode: Mode;
  /** Of the user's own. */
  rules?: readonly Rule[];
  /** Texts that are never masked. */
  allow?: readonly string[];
}

/** How often each rule found something. */
export type Hits = ReadonlyMap<string, number>;

export interface Masked<T> {
  value: T;
  /** Empty when nothing was masked; the value is then the one that was given. */
  hits: Hits;
}

const none: Hits = new Map();

export class Redactor {
  readonly #find: (text: string) => Found[];
  readonly #numbers = new Map<string, Map<string, number>>();
  readonly #strict: boolean;

  constructor({ mode, rules = [], allow = [] }: RedactOptions) {
    const allowed = new Set(allow);
    this.#strict = mode === "strict";
    const all = [...rules, ...providerRules, ...contextRules, ...namedRules].filter(
      ({ strict }) => this.#strict || strict !== true,
    );
    this.#find =
      mode === "off"
        ? () => []
        : finderOf({ rules: all, strict: this.#strict, allowed: (secret) => allowed.has(secret) });
  }

  /** Bytes that are not text are left alone. */
  bytes(bytes: Buffer): Masked<Buffer> {
    if (bytes.length < 8 || !isUtf8(bytes)) return { value: bytes, hits: none };
    const { value, hits } = this.text(bytes.toString("utf8"));
    return hits.size === 0 ? { value: bytes, hits } : { value: Buffer.from(value), hits };
  }

  text(text: string): Masked<string> {
    const found = this.#all(text);
    if (found.length === 0) return { value: text, hits: none };
    const hits = new Map<string, number>();
    let masked = "";
    let at = 0;
    for (const { rule, secret, pieces } of found) {
      hits.set(rule, (hits.get(rule) ?? 0) + 1);
      let placeholder = this.#placeholder(rule, secret);
      for (const { from, to } of pieces) {
        masked += text.slice(at, from) + placeholder;
        placeholder = "";
        at = to;
      }
    }
    return { value: masked + text.slice(at), hits };
  }

  /** A value with all its texts masked; a member's name tells of its text. */
  value<T extends JsonValue>(value: T): Masked<T> {
    const hits = new Map<string, number>();
    const masked = this.#value(value, hits) as T;
    return hits.size === 0 ? { value, hits: none } : { value: masked, hits };
  }

  #value(value: JsonValue, hits: Map<string, number>, name = ""): JsonValue {
    if (typeof value === "string") return this.#member(value, hits, name);
    if (Array.isArray(value)) return value.map((item) => this.#value(item, hits, name));
    if (value === null || !isObject(value)) return value;
    const object: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      const { value: masked, hits: more } = this.text(key);
      add(hits, more);
      setOwn(object, masked, this.#value(item, hits, key));
    }
    return object;
  }

  #member(text: string, hits: Map<string, number>, name: string): string {
    const { value, hits: more } = this.text(text);
    add(hits, more);
    if (more.size > 0 || !tellingName.test(name) || /\s/.test(text)) return value;
    // As if it were written `name=value`, with all the rules for what is no secret.
    const assigned = this.#find(`${name}=${text}`);
    if (assigned.length === 0 || !isLikelySecret(text, { strict: this.#strict })) return value;
    add(hits, new Map([["named-secret", 1]]));
    return this.#placeholder("named-secret", text);
  }

  /** All that is found in a text, as it stands and as it may be written; nothing overlaps. */
  #all(text: string, depth = 0): Found[] {
    if (text.length < 8) return [];
    const deeper = (inner: string): Found[] => (depth < 2 ? this.#all(inner, depth + 1) : []);
    return inOrder([...this.#find(text), ...findInUrl(text, deeper), ...findInBase64(text, deeper)]);
  }

  #placeholder(rule: string, secret: string): string {
    const numbers = this.#numbers.get(rule) ?? new Map<string, number>();
    this.#numbers.set(rule, numbers);
    const number = numbers.get(secret) ?? numbers.size + 1;
    numbers.set(secret, number);
    return `[REDACTED:${rule}:${number}]`;
  }
}

const tellingName = /pass|secret|token|key|auth|credential|cookie|pwd/i;

function add(hits: Map<string, number>, more: Hits): void {
  for (const [rule, count] of more) hits.set(rule, (hits.get(rule) ?? 0) + count);
}

/** From left to right; what was found first keeps its place. */
function inOrder(found: readonly Found[]): Found[] {
  const isFree = bookings();
  return found.filter((one) => isFree(startOf(one), endOf(one))).sort((a, b) => startOf(a) - startOf(b));
}
