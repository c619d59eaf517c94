// Which packs may have a parameter that matches, and which contents a pack has. A manifest is searched as it is stored,
// which takes a tenth of the time of reading it: JSON writes most characters as themselves.
import { isHash } from "../base/digest.js";
import { maxOf } from "../base/lists.js";
import { readObjectQuickly } from "../store/objects.js";
import type { Needs } from "./expression.js";
import { Finder } from "./finder.js";
import { SearchedText } from "./text-lines.js";

export class ParameterFilter {
  readonly #root: string;
  /** Finds what a manifest must contain; undefined if that is unknown. */
  readonly #finder: Finder | undefined;
  readonly #room = Buffer.allocUnsafeSlow(roomSize);

  constructor(root: string, needs: Needs, ignoreCase: boolean) {
    this.#root = root;
    const longest = needs.map((texts) => {
      const plain = texts.flatMap(plainPieces);
      const length = maxOf(plain, (text) => text.length);
      return plain.find((text) => text.length === length) ?? "";
    });
    if (longest.length > 0 && longest.every((text) => text.length > 1))
      this.#finder = new Finder(longest, { ignoreCase, isWord: false });
  }

  /** Returns false if no parameter of a pack can match. */
  mayMatch(hex: string): boolean {
    if (this.#finder === undefined) return true;
    const bytes = readObjectQuickly(this.#root, hex, this.#room);
    return bytes === undefined || this.#mayHold(bytes);
  }

  /**
   * Returns the contents of a pack, all but its system prompt, and false if no parameter can match; undefined if its
   * manifest has to be read to know. A parameter that looks like a field of a manifest may add a content that the pack
   * does not have.
   */
  contentsOf(hex: string): { contents: Set<string>; mayMatch: boolean } | undefined {
    const bytes = readObjectQuickly(this.#root, hex, this.#room);
    if (bytes === undefined) return undefined;
    const text = bytes.toString("latin1");
    const contents = new Set<string>();
    for (let at = text.indexOf(fieldEnd); at !== -1; at = text.indexOf(fieldEnd, at + 1)) {
      const from = at + fieldStart.length;
      const content = bytes.toString("latin1", from, from + 64);
      if (!text.startsWith(fieldStart, at) || !isHash(content) || text[from + 64] !== '"') return undefined;
      contents.add(content);
    }
    return { contents, mayMatch: this.#mayHold(bytes) };
  }

  #mayHold(bytes: Buffer): boolean {
    return this.#finder === undefined || this.#finder.over(new SearchedText(bytes)) !== undefined;
  }
}

/** The fields that name contents are `content_ref`, `output_ref` and `seen_ref`. */
const fieldEnd = '_ref"';
const fieldStart = '_ref":"sha256:';

/** Larger manifests are read whole. */
const roomSize = 1 << 20;

/** Returns the pieces of a text that are themselves in JSON; older manifests also escape what HTML and scripts read. */
function plainPieces(text: string): string[] {
  return text.split(/["\\<>&\u0000-\u001f\u007f-\u{10ffff}]+/u);
}
