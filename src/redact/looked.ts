// A content that is looked through for secrets: what is known about it before, and what comes out.
import type { Encoding } from "./encoding.js";
import type { Printing } from "./printing.js";
import type { About } from "./search.js";

/** A content that is looked through, and what comes out about it. */
export interface Looked {
  /** What the command prints that it is the output of, where that is a secret. */
  printing?: Printing | undefined;
  /** How its bytes were read; UTF-8 where nothing is said. */
  encoding?: Encoding;
  /** Set when some of it is no text in any encoding: only what has a form of its own was looked for there. */
  isBinary?: boolean;
}

/** Characters that no text has; those of terminals are left out. */
const control = /[\x00-\x06\x0e-\x1a\x1c-\x1f]/;

/** What is known about one window of a content, or all of it. */
export function aboutOf(looked: Looked, text: string, isPart = false): About | undefined {
  const isBinary = looked.encoding === "latin1" && control.test(text);
  if (isBinary) looked.isBinary = true;
  return looked.printing === undefined && !isBinary
    ? undefined
    : { printing: looked.printing, isPart, isBinary };
}
