// Finds packs that an earlier version of ctx sealed from edited drafts: nothing in them says so, but all
// their steps are their parent's. Packs never change, so a result, once found, stays in the catalog.
import { CtxError } from "../base/errors.js";
import { isNeverRun } from "../tools/edited-paths.js";
import type { HistoryEntry, PackContent } from "./history.js";
import { readPack } from "./packs.js";

/**
 * Returns the same entries; those whose parent is among them say whether they ran. Few packs have to be read
 * for that.
 */
export function withNeverRun(root: string, entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  if (!entries.some(isOpen)) return entries;
  const contents = new Map(entries.map(({ hex, content }) => [hex, content]));
  return entries.map((entry) => {
    const { hex, content } = entry;
    if (!isOpen(entry) || "damage" in content) return entry;
    const parent = contents.get(content.parent ?? "");
    if (parent === undefined || "damage" in parent) return entry;
    const neverRun = isLike(content, parent) && hasNeverRun(root, hex, content.parent as string);
    return { ...entry, content: { ...content, neverRun } };
  });
}

/** Returns whether a pack has a parent, and its origin is still unknown. */
function isOpen({ content }: HistoryEntry): boolean {
  if ("damage" in content || content.parent === undefined) return false;
  return content.origin === undefined && content.neverRun === undefined;
}

/** Returns whether two packs may have the same steps, as far as the catalog knows. */
function isLike(a: PackContent, b: PackContent): boolean {
  return a.steps === b.steps && a.steps > 0 && a.tools.join("\n") === b.tools.join("\n");
}

function hasNeverRun(root: string, hex: string, parent: string): boolean {
  try {
    const before = readPack(root, parent);
    return before.unknown.length === 0 && isNeverRun(readPack(root, hex).manifest, before.manifest);
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}
