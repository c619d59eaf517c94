// The beginning of a log, as lines and as one possibly incomplete document, so that formats can recognise
// their own logs without reading all of them.
import { isObject, type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";
import { bomSize, type LogSource } from "./log-source.js";

export interface Head {
  bytes: Buffer;
  isWhole: boolean;
  text: string;
  /** The objects of complete lines, if the log has one record a line. */
  records: JsonObject[];
  /** The number of lines that hold no object. */
  otherLines: number;
  /** The first value, as far as it could be read; undefined when the log does not begin with JSON. */
  document: JsonValue | undefined;
}

const maxLines = 400;

export function headOf(bytes: Buffer, isWhole: boolean): Head {
  const text = bytes.toString("utf8", bomSize(bytes));
  const document = partialJson(text);
  const lines = text.split("\n");
  // The last line may be incomplete.
  if (!isWhole) lines.pop();
  const records: JsonObject[] = [];
  let otherLines = 0;
  for (const line of lines.slice(0, maxLines)) {
    if (line.trim() === "") continue;
    const value = parsed(line);
    if (value !== undefined && isObject(value)) records.push(value);
    else otherLines++;
  }
  return { bytes, isWhole, text, records, otherLines, document };
}

/**
 * Returns whether a source can be read line by line. That includes a document in one line, if it is an
 * object.
 */
export function isByLine(source: LogSource): boolean {
  const { text, records, otherLines } = headOf(source.head, source.isWhole);
  if (!text.trimStart().startsWith("{")) return false;
  return records.length > 0 ? records.length >= otherLines : !text.trim().includes("\n");
}

/** Parses a complete text, at any depth. */
export function parsed(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Thrown where the text ends or stops being JSON: the value read up to there is the result. */
class TextEnd extends Error {}

/** Parses the first value of a text, and drops whatever is incomplete or broken. */
export function partialJson(text: string): JsonValue | undefined {
  let root: JsonValue | undefined;
  try {
    new PartialReader(text).value((value) => {
      root = value;
    });
  } catch (error) {
    if (!(error instanceof TextEnd)) throw error;
  }
  return root;
}

class PartialReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Reads a value, and passes it to `take` before filling it, so that a cut leaves the part that was read.
   */
  value(take: (value: JsonValue) => void, depth = 0): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === '"') return take(this.#string());
    if (first === "{" || first === "[") {
      if (depth > 100) throw new TextEnd();
      return first === "{" ? this.#object(take, depth) : this.#array(take, depth);
    }
    const scalar = /[-+.\w]*/y;
    scalar.lastIndex = this.#at;
    const word = scalar.exec(this.#text)?.[0] ?? "";
    this.#at += word.length;
    const value = parsed(word);
    if (value === undefined || this.#at >= this.#text.length) throw new TextEnd();
    take(value);
  }

  #object(take: (value: JsonValue) => void, depth: number): void {
    const object: JsonObject = {};
    take(object);
    this.#at++;
    while (!this.#closes("}")) {
      this.#space();
      if (this.#text[this.#at] !== '"') throw new TextEnd();
      const key = this.#string();
      this.#space();
      if (this.#text[this.#at++] !== ":") throw new TextEnd();
      this.value((value) => setOwn(object, key, value), depth + 1);
    }
  }

  #array(take: (value: JsonValue) => void, depth: number): void {
    const list: JsonValue[] = [];
    take(list);
    this.#at++;
    while (!this.#closes("]")) this.value((value) => list.push(value), depth + 1);
  }

  /** Consumes a comma, or the end of the container. */
  #closes(end: string): boolean {
    this.#space();
    const next = this.#text[this.#at];
    if (next === undefined) throw new TextEnd();
    if (next === ",") this.#at++;
    if (next === end) this.#at++;
    return next === end;
  }

  #string(): string {
    const end = this.#closingQuote();
    const value = parsed(this.#text.slice(this.#at, end + 1));
    this.#at = end + 1;
    if (typeof value !== "string") throw new TextEnd();
    return value;
  }

  /**
   * Returns where the string ends that begins here: at a quote with an even number of backslashes before it.
   */
  #closingQuote(): number {
    for (let at = this.#at; ; ) {
      at = this.#text.indexOf('"', at + 1);
      if (at === -1) throw new TextEnd();
      let from = at;
      while (this.#text[from - 1] === "\\") from--;
      if ((at - from) % 2 === 0) return at;
    }
  }

  #space(): void {
    const space = /\s*/y;
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
  }
}
