// Reads what a store's own .gitignore keeps out of git.
import { join } from "node:path";
import { CtxError } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import { ignoreAll } from "./layout.js";

/**
 * Returns the lines of a store's own .gitignore; none if it cannot be read, or is a link, which git does not
 * follow.
 */
export function ignoreLines(root: string): string[] {
  try {
    const text = readIfThere(join(root, ".gitignore"))?.toString("latin1") ?? "";
    return text.split(/\r?\n/).map((line) => line.trim());
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

/** Returns whether these lines keep all of a store out of git. The last pattern that matches a file wins. */
export function ignoresAll(lines: readonly string[]): boolean {
  const at = lines.lastIndexOf(ignoreAll);
  return at >= 0 && !lines.slice(at).some((line) => line.startsWith("!"));
}
