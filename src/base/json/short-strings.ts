// Short texts that recur, such as the keys of many objects: each becomes a string once. Creating a string
// takes longer than comparing its few bytes, and many equal strings take memory. Measured: packing 200,000
// short steps takes 11 % less CPU time, and 20,000 ordinary ones 3 %.

const slots = 1 << 10;
const maxLength = 64;
/** Longer texts are mostly read once. */
const likely = 16;

/** Shared by all readers: those of many small documents read the same texts. */
const known: string[] = Array.from({ length: slots }, () => "");

export class ShortTexts {
  /** The offset of the closing quote of the text that was read last. */
  end = 0;

  /** Returns the quoted text from `start` on, if it is short, plain ASCII and without escapes. */
  at(bytes: Buffer, start: number): string | undefined {
    let hash = 0;
    let end = start;
    for (const last = Math.min(start + maxLength, bytes.length); ; end++) {
      if (end >= last) return undefined;
      const byte = bytes[end] as number;
      if (byte === 0x22) break;
      if (byte < 0x20 || byte > 0x7e || byte === 0x5c) return undefined;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    this.end = end;
    if (end - start > likely) return bytes.toString("latin1", start, end);
    const slot = (hash ^ (hash >>> 10)) & (slots - 1);
    const kept = known[slot] as string;
    if (isAt(bytes, start, end, kept)) return kept;
    return (known[slot] = bytes.toString("latin1", start, end));
  }
}

function isAt(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (text.length !== end - start) return false;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text.charCodeAt(at)) return false;
  return true;
}
