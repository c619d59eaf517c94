// Writes down what a search found: names of files, counts, or lines with those around them.
import type { Grep } from "../tools/tool-use.js";

const lineFeed = Buffer.from("\n");

/** Returns whether lines around the matches are shown, and so gaps between groups of lines. */
export function hasContext({ resultKind, before = 0, after = 0 }: Grep): boolean {
  return resultKind === "lines" && (before > 0 || after > 0);
}

/** Returns what the search reports about one file. */
export function report(
  use: Grep,
  file: { path: string; content: Buffer; found: number[]; isAlone: boolean },
): Buffer {
  const { resultKind, isBareForFile, isUnnumbered, before = 0, after = 0 } = use;
  if (resultKind === "files") return lines([file.path]);
  if (resultKind === "counts") return lines([`${file.path}:${file.found.length}`]);
  const name = file.isAlone && isBareForFile === true ? "" : file.path;
  const shown = withContext(file.found, { before, after });
  const pieces: Buffer[] = [];
  let at = 0;
  let line = 1;
  let previous: number | undefined;
  for (const [number, isMatch] of shown) {
    for (; line < number; line++) {
      const feed = file.content.indexOf(10, at);
      if (feed === -1) return Buffer.concat(pieces);
      at = feed + 1;
    }
    // After the last line end there is no line.
    if (at >= file.content.length) break;
    const end = file.content.indexOf(10, at);
    const text = file.content.subarray(at, end === -1 ? file.content.length : end);
    if (hasContext(use) && previous !== undefined && number > previous + 1) pieces.push(Buffer.from("--\n"));
    previous = number;
    const sign = isMatch ? ":" : "-";
    const head = [...(name === "" ? [] : [name]), ...(isUnnumbered === true ? [] : [number])];
    pieces.push(Buffer.from(head.map((part) => `${part}${sign}`).join(""), "latin1"), text, lineFeed);
  }
  return Buffer.concat(pieces);
}

/** Returns the numbers of the lines to show, in order, each with whether it is a match. */
function* withContext(
  found: readonly number[],
  { before, after }: { before: number; after: number },
): Iterable<[number, boolean]> {
  const matches = new Set(found);
  let next = 1;
  for (const match of found)
    for (next = Math.max(next, match - before); next <= match + after; next++)
      yield [next, matches.has(next)];
}

/** Joins byte strings, each followed by a line feed. */
export function lines(texts: string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text}\n`).join(""), "latin1");
}
