// Where the contents of a run go: into a batch, through a mask into a batch, or nowhere but to be named.
import { sha256, startSha256 } from "../base/digest.js";
import type { Stored } from "../model/content.js";

export interface Sink {
  /** `known`: the hash of these bytes, where it was worked out already. */
  addBytes(bytes: Buffer, known?: string): Stored;
  /** What comes in pieces, each valid until the next. It may be asked for more than once, and starts anew each time. */
  addPieces(pieces: Iterable<Buffer>): Stored;
  /** What the store holds already; throws when it does not, or holds it damaged. */
  addStored(hex: string): Stored;
}

/** Names contents, and keeps none. */
export const namesOnly: Sink = {
  addBytes: (bytes, known) => ({ hex: known ?? sha256(bytes), size: bytes.length }),
  addPieces(pieces) {
    const hash = startSha256();
    let size = 0;
    for (const piece of pieces) {
      hash.add(piece);
      size += piece.length;
    }
    return { hex: hash.hex(), size };
  },
  addStored(hex) {
    throw new TypeError(`nothing is stored here: ${hex}`);
  },
};
