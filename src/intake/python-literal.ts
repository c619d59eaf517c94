// Parses Python literals, as `repr` writes them: programs in Python log values in this form where others log
// JSON. Data only: nothing is evaluated, and anything but a plain literal is no value.
import { ExactInteger, type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";

/** Values that `repr` wrote are never nested deeper in practice. */
const deepest = 200;

class NotALiteral extends Error {}

/** Returns the value of a literal; undefined when the text is none. */
export function pythonLiteral(text: string): JsonValue | undefined {
  return attempt(() => {
    const reader = new LiteralReader(text);
    const value = reader.value(0);
    reader.end();
    return value;
  });
}

/** Returns the fields of an object whose `repr` is a sequence of `name=literal`. */
export function pythonFields(text: string): JsonObject | undefined {
  return attempt(() => {
    const reader = new LiteralReader(text);
    const fields: JsonObject = {};
    do {
      const name = reader.word();
      reader.expect("=");
      setOwn(fields, name, reader.value(0));
    } while (!reader.isAtEnd());
    return fields;
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotALiteral) return undefined;
    throw error;
  }
}

const words = new Map<string, JsonValue>([
  ["True", true],
  ["False", false],
  ["None", null],
]);

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\n": "",
};

class LiteralReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonValue {
    if (depth > deepest) throw new NotALiteral();
    this.#space();
    const first = this.#text[this.#at] ?? "";
    if (first === "{") return this.#dictionary(depth);
    if (first === "[" || first === "(") return this.#list(depth, first === "[" ? "]" : ")");
    if (first === "'" || first === '"') return this.#string(first);
    const number = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d*)?(?:e[+-]?\d+)?/y);
    if (number !== undefined) return numberOf(number);
    const word = words.get(this.word());
    if (word === undefined) throw new NotALiteral();
    return word;
  }

  word(): string {
    this.#space();
    const word = this.#match(/[A-Za-z_]\w*/y);
    if (word === undefined) throw new NotALiteral();
    return word;
  }

  expect(character: string): void {
    this.#space();
    if (this.#text[this.#at] !== character) throw new NotALiteral();
    this.#at++;
  }

  isAtEnd(): boolean {
    this.#space();
    return this.#at >= this.#text.length;
  }

  end(): void {
    if (!this.isAtEnd()) throw new NotALiteral();
  }

  #dictionary(depth: number): JsonObject {
    const object: JsonObject = {};
    this.#at++;
    while (!this.#closes("}")) {
      const key = this.value(depth + 1);
      if (typeof key !== "string" && typeof key !== "number") throw new NotALiteral();
      this.expect(":");
      setOwn(object, String(key), this.value(depth + 1));
      this.#comma("}");
    }
    return object;
  }

  #list(depth: number, end: string): JsonValue {
    const items: JsonValue[] = [];
    this.#at++;
    while (!this.#closes(end)) {
      items.push(this.value(depth + 1));
      this.#comma(end);
    }
    return items;
  }

  #closes(end: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== end) return false;
    this.#at++;
    return true;
  }

  #comma(end: string): void {
    this.#space();
    if (this.#text[this.#at] === ",") this.#at++;
    else if (this.#text[this.#at] !== end) throw new NotALiteral();
  }

  #string(quote: string): string {
    const plain = quote === "'" ? /[^'\\]*/y : /[^"\\]*/y;
    const pieces: string[] = [];
    this.#at++;
    for (;;) {
      pieces.push(this.#match(plain) ?? "");
      const next = this.#text[this.#at++];
      if (next === quote) return pieces.join("").toWellFormed();
      if (next === undefined) throw new NotALiteral();
      pieces.push(this.#escape());
    }
  }

  #escape(): string {
    const code = this.#match(/x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y);
    if (code !== undefined) {
      const point = Number.parseInt(code.slice(1), 16);
      return point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point);
    }
    const letter = this.#text[this.#at++] ?? "";
    // An unknown escape stands for itself, with its backslash.
    return Object.hasOwn(escapes, letter) ? (escapes[letter] as string) : `\\${letter}`;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #space(): void {
    this.#match(/\s*/y);
  }
}

function numberOf(text: string): JsonValue {
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? new ExactInteger(text) : number;
}
