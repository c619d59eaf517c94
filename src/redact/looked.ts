// A content that is scanned for secrets: what is known about it beforehand, and the result.
import type { Encoding } from "./encoding.js";
import type { Printing } from "./printing.js";
import type { About } from "./scanner.js";
import { isAllText, narrowed } from "./wide.js";

/** A content that is scanned, and the result. */
export interface Looked {
  /** What the command prints that it is the output of, where that is a secret. */
  printing?: Printing | undefined;
  /** How its bytes were read; UTF-8 where nothing is said. */
  encoding?: Encoding;
  /** Set when some of it is no text in any encoding: only what has a form of its own was looked for there. */
  isBinary?: boolean;
  /** Set when some of it is no text as UTF-16: its bytes are read a second time. */
  isStrange?: boolean;
  /** This is the second reading, as Latin-1, of what was read as UTF-16 before. */
  wide?: Looked;
}

/** Another reading of the same content: of what claims to be UTF-16, some may be anything else. */
export function secondReading(looked: Looked): Looked {
  return { printing: looked.printing, encoding: "latin1", wide: looked };
}

/** What is known about one window of a content, or all of it. */
export function aboutOf(looked: Looked, text: string, isPart = false): About | undefined {
  const { encoding = "utf8", wide } = looked;
  if (isWide(encoding) && !isAllText(text, true)) looked.isStrange = true;
  const isBytes = encoding === "latin1";
  const isPlain = !isBytes || isAllText(text);
  if (!isPlain && !isAllText(narrowed(text)?.text ?? text)) {
    if (wide === undefined) looked.isBinary = true;
    else if (wide.isStrange === true) wide.isBinary = true;
  }
  // UTF-16 of a script whose bytes are all plain ones is UTF-8 as well; there, zeros stand at spaces and line ends.
  if (looked.encoding === "utf8" && text.includes("\0") && !isAllText(text.replaceAll("\0", "")))
    looked.isBinary = true;
  // What was printed as UTF-16 has been judged as such.
  const printing = wide !== undefined && !isPlain ? undefined : looked.printing;
  return looked.printing === undefined && !isBytes
    ? undefined
    : { printing, printingNarrowed: looked.printing, isPart, isBytes };
}

export function isWide(encoding: Encoding): boolean {
  return encoding === "utf16le" || encoding === "utf16be";
}
