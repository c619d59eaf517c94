// Shortens long text, never through the middle of a character.

/** Returns the start of a text, as many UTF-16 units as fit. */
export function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** How many characters are shown before the position where two texts begin to differ. */
const lead = 20;

/**
 * Shortens a text to `length` characters, with an ellipsis where something is missing. The cut keeps the
 * position where `other` differs visible.
 */
export function cutAround(text: string, other: string | undefined, length: number): string {
  if (text.length <= length) return text;
  let same = 0;
  if (other !== undefined) while (same < text.length && text[same] === other[same]) same++;
  if (other === undefined || same < length - lead) return `${cutAt(text, length - 1)}…`;
  let from = Math.max(0, same - lead);
  const first = text.charCodeAt(from);
  if (first >= 0xdc00 && first <= 0xdfff) from++;
  const rest = text.slice(from);
  return rest.length < length ? `…${rest}` : `…${cutAt(rest, length - 2)}…`;
}

/**
 * Returns the counterpart of each changed line in a unified diff: the first removed line is paired with the
 * first added one.
 */
export function counterparts(lines: readonly string[]): (string | undefined)[] {
  const found: (string | undefined)[] = lines.map(() => undefined);
  for (let at = 0; at < lines.length; at++) {
    if (!isSigned(lines[at], "-")) continue;
    let middle = at;
    while (isSigned(lines[middle], "-") || lines[middle]?.startsWith("\\") === true) middle++;
    for (let k = 0; at + k < middle && isSigned(lines[middle + k], "+"); k++) {
      found[at + k] = lines[middle + k]?.slice(1);
      found[middle + k] = lines[at + k]?.slice(1);
    }
    at = middle - 1;
  }
  return found;
}

function isSigned(line: string | undefined, sign: string): boolean {
  return line?.startsWith(sign) === true;
}
