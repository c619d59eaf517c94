// Finds the line of a text that says most about it, for previews of one line: the first that is more than
// brackets, a rule, a code fence or the frame of a patch.

/** Lines without a letter or digit: `}`, `---`, `/**`. */
const isBare = /^[^\p{L}\p{N}]*$/u;
/** A code fence, a tag alone, or the first line of a patch. */
const isFrame = /^(?:`{3,}|~{3,}).*$|^<\/?[\w:-]+(?: [\w-]+)*\/?>$|^\*\*\* Begin Patch$/;

/** Returns the first telling line, with spaces for tabs; the first that is not blank if none is telling. */
export function tellingLine(text: string): string {
  let first = "";
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end === -1 ? undefined : end).trim();
    if (line !== "" && !isBare.test(line) && !isFrame.test(line)) return spaced(line);
    if (first === "") first = line;
    if (end === -1) break;
    from = end + 1;
  }
  return spaced(first);
}

/** Replaces each run of tabs by a space. */
function spaced(line: string): string {
  return line.replaceAll(/ *\t[ \t]*/g, " ");
}
