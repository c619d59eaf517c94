// A content that is scanned for secrets: what is known about it in advance, and what the scan learns.
import type { Encoding } from "./encoding.js";
import type { Printing } from "./printing.js";
import type { ScanContext } from "./scanner.js";
import { isAllText, narrowed } from "./wide.js";

/** The scan of one content. */
export interface ContentScan {
  /** What the command prints whose output this content is, if that is a secret. */
  printing?: Printing | undefined;
  /** How the bytes were decoded; UTF-8 by default. */
  encoding?: Encoding;
  /**
   * Set when part of the content is not text in any encoding: only tokens of a recognizable form were
   * searched for there.
   */
  isBinary?: boolean;
  /** Set when part of the content is not text as UTF-16: its bytes are read a second time. */
  isStrange?: boolean;
  /** Set in the second reading, as Latin-1, of bytes that were read as UTF-16 before. */
  wide?: ContentScan;
}

/** Starts another reading of the same content: part of alleged UTF-16 may be anything else. */
export function secondReading(scan: ContentScan): ContentScan {
  return { printing: scan.printing, encoding: "latin1", wide: scan };
}

/** Returns what is known about one window of a content, or about all of it. */
export function contextOf(scan: ContentScan, text: string, isPart = false): ScanContext | undefined {
  const { encoding = "utf8", wide } = scan;
  if (isWide(encoding) && !isAllText(text, true)) scan.isStrange = true;
  const isBytes = encoding === "latin1";
  const isPlain = !isBytes || isAllText(text);
  if (!isPlain && !isAllText(narrowed(text)?.text ?? text)) {
    if (wide === undefined) scan.isBinary = true;
    else if (wide.isStrange === true) wide.isBinary = true;
  }
  // UTF-16 of a script whose bytes are all ASCII is valid UTF-8 as well; its spaces and line ends contain
  // zeros.
  if (scan.encoding === "utf8" && text.includes("\0") && !isAllText(text.replaceAll("\0", "")))
    scan.isBinary = true;
  // Output printed as UTF-16 was judged in the first reading.
  const printing = wide !== undefined && !isPlain ? undefined : scan.printing;
  return scan.printing === undefined && !isBytes
    ? undefined
    : { printing, printingNarrowed: scan.printing, isPart, isBytes };
}

export function isWide(encoding: Encoding): boolean {
  return encoding === "utf16le" || encoding === "utf16be";
}
