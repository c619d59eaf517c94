// What a successful call did to files, where the log does not say it and its parameters do.
import { touchedBy, type ToolUse } from "../tools/table.js";
import type { Replacement } from "../tools/tool-use.js";
import type { FileStates } from "./file-states.js";

/**
 * Notes the files that a call changed, and their contents as far as these follow from the parameters and
 * earlier steps.
 */
export function noteFileEffects(files: FileStates, use: ToolUse | undefined): void {
  if (use === undefined) return;
  if (use.action === "write") {
    if (use.isNew === true) files.before(use.path, null);
    files.after(use.path, use.content);
  } else if (use.action === "edit") files.after(use.path, applyEdits(files.textOf(use.path), use.edits));
  else for (const path of touchedBy(use)) files.after(path, use.action === "delete" ? null : undefined);
}

/** Edits can double a file over and over: larger results are not computed. */
const maxEdited = 1 << 24;

/** Returns the text after edits; undefined when it was unknown before, or when they do not fit. */
export function applyEdits(text: string | undefined, edits: readonly Replacement[]): string | undefined {
  let now = text;
  for (const edit of edits) now = now === undefined ? undefined : applyEdit(now, edit);
  return now;
}

function applyEdit(text: string, { old, new: next, all }: Replacement): string | undefined {
  const at = old === "" ? -1 : text.indexOf(old);
  if (at === -1 || text.length > maxEdited) return undefined;
  if (!all) return text.slice(0, at) + next + text.slice(at + old.length);
  const parts = text.split(old);
  const size = text.length + (parts.length - 1) * (next.length - old.length);
  return size > maxEdited ? undefined : parts.join(next);
}
