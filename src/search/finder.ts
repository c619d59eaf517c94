// Finds texts among bytes: any of some, as whole words or anywhere, in either case of ASCII letters or as they are.
import type { SearchedText } from "./text-lines.js";

export interface FinderOptions {
  /** Ignore the case of ASCII letters. */
  ignoreCase: boolean;
  /** Only where no letter, digit or underscore of ASCII is directly before or behind. */
  isWord: boolean;
}

export interface FoundText {
  start: number;
  end: number;
}

/** Returns the first place at or after an offset. */
type Find = (from: number) => FoundText | undefined;

export class Finder {
  readonly #texts: readonly WantedText[];
  readonly #isWord: boolean;

  constructor(texts: readonly string[], { ignoreCase, isWord }: FinderOptions) {
    this.#texts = texts.map((text) => new WantedText(text, ignoreCase));
    this.#isWord = isWord;
  }

  /** Returns a function that finds the texts in a content; undefined if none is there. */
  over(content: SearchedText): Find | undefined {
    const { bytes } = content;
    // Where each text is next, so that a frequent text does not have a rare one searched for again and again.
    const nexts = this.#texts.map((text) => this.#next(text, content, 0));
    if (nexts.every((next) => next === none)) return undefined;
    return (from) => {
      let best = none;
      let length = 0;
      for (const [at, text] of this.#texts.entries()) {
        if ((nexts[at] as number) < from) nexts[at] = this.#next(text, content, from);
        if ((nexts[at] as number) < best) {
          best = nexts[at] as number;
          length = text.length;
        }
      }
      return best >= bytes.length ? undefined : { start: best, end: best + length };
    };
  }

  #next(text: WantedText, content: SearchedText, from: number): number {
    const { bytes } = content;
    let found = text.indexIn(content, from);
    if (this.#isWord)
      while (found !== none && (isWordByte(bytes[found - 1]) || isWordByte(bytes[found + text.length])))
        found = text.indexIn(content, found + 1);
    return found;
  }
}

/** Behind the end of every content. */
const none = Number.POSITIVE_INFINITY;

class WantedText {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #latin: string;
  readonly #eitherCase: RegExp | undefined;

  constructor(text: string, ignoreCase: boolean) {
    this.#bytes = Buffer.from(text);
    this.length = this.#bytes.length;
    this.#latin = this.#bytes.toString("latin1");
    // Without the flag `i`, which knows more letters than those of ASCII.
    if (ignoreCase && /[a-z]/i.test(text))
      this.#eitherCase = new RegExp(this.#latin.replaceAll(/[^]/g, eitherCase), "g");
  }

  indexIn(content: SearchedText, from: number): number {
    if (this.#eitherCase !== undefined) return this.#indexInEitherCase(this.#eitherCase, content, from);
    const { latin } = from === 0 ? { latin: undefined } : content;
    const found =
      latin === undefined ? content.bytes.indexOf(this.#bytes, from) : latin.indexOf(this.#latin, from);
    return found === -1 ? none : found;
  }

  #indexInEitherCase(pattern: RegExp, { bytes, latin }: SearchedText, from: number): number {
    pattern.lastIndex = latin === undefined ? 0 : from;
    if (latin !== undefined) return pattern.exec(latin)?.index ?? none;
    // A string of all of it would be too long.
    for (let at = from; at < bytes.length; at += pieceSize) {
      pattern.lastIndex = 0;
      const found = pattern.exec(bytes.toString("latin1", at, at + pieceSize + this.length - 1))?.index;
      if (found !== undefined) return at + found;
    }
    return none;
  }
}

const pieceSize = 1 << 24;

function eitherCase(character: string): string {
  const code = character.charCodeAt(0);
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isLetter ? `[${inHex(code & 0xdf)}${inHex(code | 0x20)}]` : inHex(code);
}

function inHex(code: number): string {
  return String.raw`\x${code.toString(16).padStart(2, "0")}`;
}

function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isLetter || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f;
}
