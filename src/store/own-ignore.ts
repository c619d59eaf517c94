// Reads what a store's own .gitignore keeps out of git.
import { join } from "node:path";
import { CtxError } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import { ignoreAll } from "./layout.js";

/**
 * Returns the lines of a store's own .gitignore as git reads them; none if it cannot be read, or is a link,
 * which git does not follow.
 */
export function ignoreLines(root: string): string[] {
  try {
    const text = readIfThere(join(root, ".gitignore"))?.toString("latin1") ?? "";
    return text
      .replace(/^\xef\xbb\xbf/, "")
      .split("\n")
      .map(asGitReads);
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

/**
 * Returns a line as git reads it: up to a null byte, and without a carriage return and spaces at its end. A
 * space behind a backslash belongs to the pattern, and so do all other blanks.
 */
function asGitReads(line: string): string {
  const [text = ""] = line.replace(/\r$/, "").split("\0", 1);
  const end = text.search(/ *$/);
  const isEscaped = (/\\*$/.exec(text.slice(0, end))?.[0].length ?? 0) % 2 === 1;
  return text.slice(0, isEscaped ? end + 1 : end);
}

/** Returns whether these lines keep all of a store out of git. The last pattern that matches a file wins. */
export function ignoresAll(lines: readonly string[]): boolean {
  const at = lines.lastIndexOf(ignoreAll);
  return at >= 0 && !lines.slice(at).some((line) => line.startsWith("!"));
}
