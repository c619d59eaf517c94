// The characters of a text as numbers in an array. Looking at every character of a text goes several times faster there than in the text
// itself.

export type Codes = Uint16Array;

/** Memory that is used again for each text; only as long as nobody looks at the text before. */
let shared: Codes = new Uint16Array(0);
let sharedBytes = Buffer.from(shared.buffer);

/** Codes that hold until the next call of this function. */
export function sharedCodesOf(text: string): Codes {
  if (shared.length < text.length) {
    shared = new Uint16Array(Math.max(text.length, 1 << 14));
    sharedBytes = Buffer.from(shared.buffer);
  }
  sharedBytes.write(text, "utf16le");
  return shared.subarray(0, text.length);
}

/** Codes of one's own. */
export function codesOf(text: string): Codes {
  const codes = new Uint16Array(text.length);
  Buffer.from(codes.buffer).write(text, "utf16le");
  return codes;
}
