// Redacts long texts a window at a time, so that a file of any size takes little memory. Where windows end
// depends on the text alone: the same text has the same result however it is read.

/** How much of a text each window finishes. */
const settled = 1 << 22;
/** How much text behind that is scanned as well: no credential is longer. */
const ahead = 1 << 16;

/** Returns whether a text fits into one window. */
export function isShort(text: { length: number }): boolean {
  return text.length <= settled + ahead;
}

/** A range of a text that must not be cut. */
export interface MatchRange {
  from: number;
  to: number;
}

/**
 * Finds matches in each window, cuts the window where it splits none, and replaces the matches before the
 * cut.
 */
export function* throughWindows<T extends MatchRange>(
  texts: Iterable<string>,
  window: { find: (text: string) => T[]; replace: (text: string, found: readonly T[]) => string },
): Generator<string> {
  let held = "";
  // Text before a cut may be the context that identifies a secret behind it: a cut never lies within a match.
  for (const text of texts) {
    held += text;
    while (!isShort(held)) {
      const view = held.slice(0, settled + ahead);
      const found = window.find(view);
      const cut = cutOf(view, found);
      yield window.replace(
        view.slice(0, cut),
        found.filter(({ to }) => to <= cut),
      );
      held = held.slice(cut);
    }
  }
  if (held !== "") yield window.replace(held, window.find(held));
}

/** Returns the cut: behind the last full line if there is one, and never within a match or a character. */
function cutOf(text: string, found: readonly MatchRange[]): number {
  const line = text.lastIndexOf("\n", settled - 1) + 1;
  let cut = line > settled - ahead ? line : settled;
  // From the right, because the match before may reach across the new cut.
  for (const { from, to } of found.toReversed()) if (from < cut && to > cut) cut = from;
  // No match is this long; if one is, the text must still advance.
  if (cut < settled >> 1) cut = settled;
  const code = text.charCodeAt(cut - 1);
  return code >= 0xd800 && code <= 0xdbff ? cut - 1 : cut;
}

/** Decodes bytes in pieces; throws a TypeError if they are not UTF-8. */
export function* decoded(pieces: Iterable<Buffer>): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** Returns whether bytes in pieces are UTF-8. */
export function isText(pieces: Iterable<Buffer>): boolean {
  try {
    for (const _ of decoded(pieces));
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
