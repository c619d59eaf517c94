// The character codes of a text in a typed array, where visiting every character is faster than in the string
// itself. Measured: `ctx scan` of 10,000 steps of 4 KB takes 4 % less CPU time; with a new array for each
// text nothing would be gained.

export type Codes = Uint16Array;

/** Reused for every text: the codes of a text are overwritten by the next one. */
let shared: Codes = new Uint16Array(0);
let sharedBytes = Buffer.from(shared.buffer);

/** Returns codes that are valid until the next call of this function. */
export function sharedCodesOf(text: string): Codes {
  if (shared.length < text.length) {
    shared = new Uint16Array(Math.max(text.length, 1 << 14));
    sharedBytes = Buffer.from(shared.buffer);
  }
  sharedBytes.write(text, "utf16le");
  return shared.subarray(0, text.length);
}

/** Returns codes in memory of their own. */
export function codesOf(text: string): Codes {
  const codes = new Uint16Array(text.length);
  Buffer.from(codes.buffer).write(text, "utf16le");
  return codes;
}
