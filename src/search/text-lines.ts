// A content while it is searched: its bytes, and the same as a string of one character for each byte, in which V8
// searches far quicker than Node does in a buffer. Lines end with a line feed; a carriage return before it is no part of
// them.
import { isAscii } from "node:buffer";

/** A longer string takes more memory than it saves time. */
const maxString = 64 << 20;

export class SearchedText {
  readonly bytes: Buffer;
  #latin: string | undefined;
  #isAscii: boolean | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Whether offsets of bytes are those of characters. */
  get isAscii(): boolean {
    this.#isAscii ??= isAscii(this.bytes);
    return this.#isAscii;
  }

  /** A character for each byte; undefined if that would be too long. */
  get latin(): string | undefined {
    if (this.#latin === undefined && this.bytes.length <= maxString)
      this.#latin = this.bytes.toString("latin1");
    return this.#latin;
  }

  /** Returns the characters between two offsets. */
  slice(from: number, to: number): string {
    const text = this.isAscii ? this.latin?.slice(from, to) : undefined;
    return text ?? this.bytes.toString("utf8", from, to);
  }

  /** Returns where the next line feed is; -1 if there is none. */
  lineEnd(from: number): number {
    return this.latin === undefined ? this.bytes.indexOf(lineFeed, from) : this.latin.indexOf("\n", from);
  }
}

export const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export interface Line {
  /** From 1. */
  line: number;
  /** Where it begins and ends. */
  from: number;
  to: number;
  /** Where the next one begins. */
  next: number;
}

/** Numbers lines while a content is read from its beginning to its end. */
export class LineCounter {
  readonly #text: SearchedText;
  #line = 1;
  #from = 0;

  constructor(text: SearchedText) {
    this.#text = text;
  }

  /** Returns the line that a byte is in, which must not be before the last one that was asked for. */
  lineAt(offset: number): Line {
    let end = this.#text.lineEnd(this.#from);
    while (end !== -1 && end < offset) {
      this.#line++;
      this.#from = end + 1;
      end = this.#text.lineEnd(this.#from);
    }
    const { bytes } = this.#text;
    const to = end === -1 ? bytes.length : end;
    const isReturned = to > this.#from && bytes[to - 1] === carriageReturn;
    return { line: this.#line, from: this.#from, to: isReturned ? to - 1 : to, next: to + 1 };
  }
}
