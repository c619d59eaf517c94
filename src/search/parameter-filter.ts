// Which packs may have a parameter that matches. A manifest is searched as it is stored, which takes a tenth of the time of
// reading it: JSON writes most characters as themselves.
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
    return bytes === undefined || this.#finder.over(new SearchedText(bytes)) !== undefined;
  }
}

/** Larger manifests are read whole. */
const roomSize = 1 << 20;

/** Returns the pieces of a text that are themselves in JSON; older manifests also escape what HTML and scripts read. */
function plainPieces(text: string): string[] {
  return text.split(/["\\<>&\u0000-\u001f\u007f-\u{10ffff}]+/u);
}
