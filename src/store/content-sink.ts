// Where the contents of a run go: into a batch, through redaction into a batch, or nowhere, if only their
// names are needed.
import { sha256, startSha256 } from "../base/digest.js";
import type { StoredContent } from "../model/content.js";

export interface Sink {
  /** `known`: the hash of these bytes, if already computed. */
  addBytes(bytes: Buffer, known?: string): StoredContent;
  /**
   * Adds a content in pieces, each valid until the next. `pieces` may be iterated more than once, from the
   * start each time.
   */
  addPieces(pieces: Iterable<Buffer>): StoredContent;
  /** Adds a blob that the store already holds; throws if it is missing or damaged. */
  addStored(hex: string): StoredContent;
  /** Returns the path of the file that holds a content that was added. */
  fileOf?(hex: string): string | undefined;
}

/** Names contents, and stores none. */
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
