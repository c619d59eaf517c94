// Long texts are masked a window at a time, so that a file of any size takes little memory. Where windows end depends on the text alone:
// the same text gives the same result however it is read.

/** How much of a text is settled at once. */
const settled = 1 << 22;
/** How much behind that is looked at as well: no credential is longer. */
const ahead = 1 << 16;

/** Whether a text fits into one window. */
export function isShort(text: { length: number }): boolean {
  return text.length <= settled + ahead;
}

/** A stretch of a text that must stay together. */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * Hands each window to `mask`, which says what it would replace in it, and replaces what lies before the place that the window is cut
 * at.
 */
export function* throughWindows<T extends Stretch>(
  texts: Iterable<string>,
  window: { find: (text: string) => T[]; replace: (text: string, found: readonly T[]) => string },
): Generator<string> {
  let held = "";
  // What is cut off may be what a secret behind it is known by: finds go before any cut that lies within them.
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

/** Behind the last full line, if there is one, and in nothing that is replaced or that is one character. */
function cutOf(text: string, found: readonly Stretch[]): number {
  const line = text.lastIndexOf("\n", settled - 1) + 1;
  let cut = line > settled - ahead ? line : settled;
  // From the right, since the find before may reach across the new place.
  for (const { from, to } of found.toReversed()) if (from < cut && to > cut) cut = from;
  // Nothing is so long; and if it is, the text must go on.
  if (cut < settled >> 1) cut = settled;
  const code = text.charCodeAt(cut - 1);
  return code >= 0xd800 && code <= 0xdbff ? cut - 1 : cut;
}

/** Bytes in pieces as text in pieces; throws a TypeError when they are no UTF-8. */
export function* decoded(pieces: Iterable<Buffer>): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** Whether bytes in pieces are UTF-8. */
export function isText(pieces: Iterable<Buffer>): boolean {
  try {
    for (const _ of decoded(pieces));
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
