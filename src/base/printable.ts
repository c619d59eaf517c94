// Text in a pack comes from strangers. Only this file makes it safe to print: characters that control a
// terminal, reorder a line or are invisible are shown as `\u{1b}`, never dropped.

/**
 * Matches control, format (bidi among them), default-ignorable (zero-width, tags, fillers) characters, line
 * separators and lone surrogates. U+FE0F stays where it only makes an emoji colourful. Made when first
 * needed: most text is plain, and the tables of this pattern are large.
 */
function unsafe(): RegExp {
  made ??=
    /(?<!\p{Emoji})\ufe0f|(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return made;
}

let made: RegExp | undefined;
const plain = /^[\x20-\x7e]*$/;
const plainLines = /^[\x20-\x7e\n\t]*$/;

/** Returns one line of text for a person: everything unsafe is escaped, line breaks and tabs too. */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  return replaceUnsafe(text, escapeVisibly);
}

/** Returns several lines of text for a person: as above, but line feeds and tabs stay. */
export function printableLines(text: string): string {
  if (plainLines.test(text)) return text;
  return replaceUnsafe(text, (character) =>
    character === "\n" || character === "\t" ? character : escapeVisibly(character),
  );
}

/** Returns JSON text with the same characters written as \uXXXX, which means the same to a parser. */
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

/** Replaces piece by piece: the engine ends the process if one replacement has too many matches. */
function replaceUnsafe(text: string, replace: (character: string) => string): string {
  if (text.length <= pieceSize) return text.replace(unsafe(), replace);
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceSize, text.length);
    // Never cuts through the middle of a character.
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] as string)) to--;
    pieces.push(text.slice(from, to).replace(unsafe(), replace));
    from = to;
  }
  return pieces.join("");
}

function escapeVisibly(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
