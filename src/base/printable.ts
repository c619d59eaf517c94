// What comes out of a pack is somebody else's text. This is the one place where it becomes safe to print: characters
// that steer a terminal, reorder a line or cannot be seen are shown as `\u{1b}`, never dropped.

/**
 * Control, format (bidi among them), default-ignorable (zero-width, tags, fillers), line separators, lone surrogates.
 * U+FE0F stays where it only makes an emoji colourful. Made when first needed: most text is plain, and its tables are not.
 */
function unsafe(): RegExp {
  made ??=
    /(?<!\p{Emoji})\ufe0f|(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return made;
}

let made: RegExp | undefined;
const plain = /^[\x20-\x7e]*$/;
const plainLines = /^[\x20-\x7e\n\t]*$/;

/** One line of text for a person: everything unsafe is escaped, line breaks and tabs too. */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  return replaceUnsafe(text, escapeVisibly);
}

/** Several lines of text for a person: as above, but line feeds and tabs stay. */
export function printableLines(text: string): string {
  if (plainLines.test(text)) return text;
  return replaceUnsafe(text, (character) =>
    character === "\n" || character === "\t" ? character : escapeVisibly(character),
  );
}

/** JSON text with the same characters written as \uXXXX, which means the same to a parser. */
export function printableJson(json: string): string {
  if (plain.test(json)) return json;
  return replaceUnsafe(json, (character) => {
    let escaped = "";
    for (let index = 0; index < character.length; index++)
      escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
    return escaped;
  });
}

const pieceSize = 1 << 20;

/** Piece by piece: the engine ends the process when one replacement finds too many places. */
function replaceUnsafe(text: string, replace: (character: string) => string): string {
  if (text.length <= pieceSize) return text.replace(unsafe(), replace);
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceSize, text.length);
    // Not through the middle of a character.
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] as string)) to--;
    pieces.push(text.slice(from, to).replace(unsafe(), replace));
    from = to;
  }
  return pieces.join("");
}

function escapeVisibly(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
