// The characters of a text as numbers in an array. Looking at every character of a text goes several times faster there than in the text
// itself.

export type Codes = Uint16Array;

/** One that is used again for each text; only as long as nobody looks at the text before. */
let shared: Codes = new Uint16Array(0);

/** Codes that hold until the next call of this function. */
export function sharedCodesOf(text: string): Codes {
  if (shared.length < text.length) shared = new Uint16Array(Math.max(text.length, 1 << 14));
  return written(text, shared);
}

/** Codes of one's own. */
export function codesOf(text: string): Codes {
  return written(text, new Uint16Array(text.length));
}

function written(text: string, codes: Codes): Codes {
  Buffer.from(codes.buffer).write(text, "utf16le");
  return codes.subarray(0, text.length);
}
