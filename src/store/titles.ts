// Titles that users give to packs: refs/titles/<hex> holds one line. A title changes no hash, and anything
// else under such a name is no title.
import * as fs from "node:fs";
import { CtxError, errnoOf, toIoError } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import type { Manifest } from "../model/manifest.js";
import { maxTitleBytes } from "../model/title.js";
import { type HistoryEntry, readEntry } from "./history.js";
import { titlePath } from "./layout.js";
import { runTitle } from "./run-facts.js";

/** Returns the title that the user gave to a pack, if any. */
export function readTitle(root: string, hex: string): string | undefined {
  const bytes = titleBytes(titlePath(root, hex));
  if (bytes === undefined || bytes.length > maxTitleBytes + 1) return undefined;
  const text = bytes.toString("utf8");
  return /^[^\r\n]+\n$/.test(text) ? text.slice(0, -1) : undefined;
}

/** Returns the packs that may have a title of the user's; few stores have any, so they are listed once. */
export function titledPacks(root: string): ReadonlySet<string> {
  const folder = titlePath(root, "");
  try {
    if (fs.lstatSync(folder).isSymbolicLink()) return new Set();
    return new Set(fs.readdirSync(folder));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR" || errno === "EACCES") return new Set();
    throw toIoError(error, folder, "list");
  }
}

function titleBytes(path: string): Buffer | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Returns the title of a pack whose manifest was read: the user's, else the one that its prompts give it. */
export function titleFor(root: string, hex: string, manifest: Manifest): string | null {
  return readTitle(root, hex) ?? runTitle(root, manifest) ?? null;
}

/**
 * Returns the title under which lists show a pack: the user's, else the one that the run's prompts give it.
 */
export function packTitle(root: string, hex: string, entry?: HistoryEntry): string | undefined {
  const chosen = readTitle(root, hex);
  if (chosen !== undefined) return chosen;
  const content = (entry ?? readEntry(root, hex))?.content;
  return content === undefined || "damage" in content ? undefined : content.title;
}
