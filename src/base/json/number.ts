// Finds the end of a JSON number and whether it is written as an integer.

export interface ScannedNumber {
  /** The offset after it; if `error` is set, the offset of the error. */
  end: number;
  /** Written without fraction and exponent. */
  isInteger: boolean;
  error?: string;
}

/** Scans the number that begins at `start`. */
export function scanNumber(bytes: Buffer, start: number): ScannedNumber {
  const first = bytes[start] === 0x2d ? start + 1 : start;
  let end = skipDigits(bytes, first);
  if (end === first) return noDigit(end);
  if (bytes[first] === 0x30 && end > first + 1)
    return { end: first, isInteger: false, error: "a number cannot start with 0" };
  let isInteger = true;
  if (bytes[end] === 0x2e) {
    isInteger = false;
    const from = end + 1;
    end = skipDigits(bytes, from);
    if (end === from) return noDigit(end);
  }
  if (bytes[end] === 0x65 || bytes[end] === 0x45) {
    isInteger = false;
    const sign = bytes[end + 1];
    const from = end + (sign === 0x2b || sign === 0x2d ? 2 : 1);
    end = skipDigits(bytes, from);
    if (end === from) return noDigit(end);
  }
  return { end, isInteger };
}

function skipDigits(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[at]) at++;
  return at;
}

function noDigit(end: number): ScannedNumber {
  return { end, isInteger: false, error: "a digit was expected here" };
}
