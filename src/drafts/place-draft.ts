// Puts a draft in place so that after a crash it is there whole, or not at all: staged, flushed, then
// renamed.
import * as fs from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { CtxError, errnoOf, toIoError, withPath } from "../base/errors.js";
import { listIfThere, makeFolder } from "../base/fs/files.js";
import { withBatch } from "../store/batch-lock.js";
import { flush, flushFolder } from "../base/fs/flush.js";
import { leftoversIn } from "../base/fs/leftovers.js";
import { makeDurableFolders } from "../base/fs/make-folders.js";
import { ownId } from "../base/owner-id.js";
import { modesOf } from "../store/modes.js";
import type { Store } from "../store/store.js";
import { type Draft, logName } from "./draft.js";
import { type DraftContents, fillDraft } from "./draft-folder.js";

/** Writes a draft into the store's own folder for drafts, and returns its path. */
export function writeOwnDraft(store: Store, hex: string, draft: Draft): string {
  return withBatch(store, "add", (batch) => {
    const drafts = join(store.root, "drafts");
    const staged = join(batch.folder, "draft");
    const modes = modesOf(store.root);
    fillDraft(store, staged, { hex, draft, tick: () => batch.refresh(), modes });
    makeFolder(drafts, modes.folder);
    for (let count = 1; ; count++) {
      const target = join(drafts, count === 1 ? hex.slice(0, 12) : `${hex.slice(0, 12)}-${count}`);
      if (moveFolder(staged, target, () => flush(store.root, { files: [], folders: [drafts, store.root] })))
        return target;
    }
  });
}

/** Writes a draft to a requested path: into a new folder, or an empty one. */
export function writeDraftAt(store: Store, target: string, hex: string, draft: Draft): string {
  const isOwn = checkTarget(store, target);
  const modes = isOwn ? modesOf(store.root) : undefined;
  if (modes !== undefined) makeFolder(join(store.root, "drafts"), modes.folder);
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  const contents = { hex, draft, ...(modes === undefined ? {} : { modes }) };
  if (stat === undefined) writeBeside(store, target, contents);
  // A link to an empty folder does not count: what is behind it is not the user's draft.
  else if (stat.isDirectory()) writeInside(store, target, contents);
  else throw targetExists(target);
  return target;
}

function targetExists(target: string): CtxError {
  return new CtxError("exists", `${target} exists, and is not an empty folder`, {
    hint: "name another folder, or none: then the draft goes into the store",
  });
}

/** Returns whether a draft would be in the store. Of the store's own folders only drafts/ is for drafts. */
function checkTarget({ root }: Store, target: string): boolean {
  const inside = relative(root, resolve(target)).split(sep);
  if (inside[0] === ".." || isAbsolute(inside[0] as string)) return false;
  if (inside.length === 2 && inside[0] === "drafts") return true;
  throw new CtxError("usage", `${target} is inside the store, where a draft can only be in drafts/`);
}

/** Creates the folder by one rename. */
function writeBeside(store: Store, target: string, contents: DraftContents): void {
  const parent = dirname(resolve(target));
  const made: string[] = [];
  const staged = join(parent, stagedName(ownId()));
  try {
    makeDurableFolders(parent, { made });
    clearLeftovers(parent);
    fillDraft(store, staged, contents);
    if (!moveFolder(staged, target, () => flushFolder(parent))) throw targetExists(target);
  } catch (error) {
    remove(staged);
    for (const folder of made.toReversed()) removeIfEmpty(folder);
    throw error;
  }
}

/**
 * Fills an existing folder. It is the user's, and may be a current folder: it stays, and the staged entries
 * are moved in, the log last. Between the first and the last of these renames the staged folder is called
 * ready, and the next process after a crash continues from there.
 */
function writeInside(store: Store, target: string, contents: DraftContents): void {
  if (clearLeftovers(target))
    throw new CtxError(
      "exists",
      `${target} exists: an earlier fork into it was interrupted; ctx has completed that draft`,
    );
  if (listIfThere(target).length > 0) throw targetExists(target);
  const id = ownId();
  const [staged, ready] = [join(target, stagedName(id)), join(target, `.ctx-draft-${id}.ready`)];
  try {
    fillDraft(store, staged, contents);
    // If two processes write at once, at least one withdraws: the one that sees the other.
    if (listIfThere(target).length > 1) throw targetExists(target);
    withPath(ready, "create", () => fs.renameSync(staged, ready));
    moveInside(ready, target);
  } catch (error) {
    for (const name of listIfThere(ready).length > 0 ? draftNames : []) moveBack(target, ready, name);
    remove(staged);
    remove(ready);
    throw error;
  }
}

/** Everything that can be at the top of a draft. */
const draftNames = ["README.md", "system_prompt.md", "prompts", "inputs", "steps", "outputs", logName];

function moveInside(ready: string, target: string): void {
  const move = (name: string): void =>
    withPath(join(target, name), "create", () => fs.renameSync(join(ready, name), join(target, name)));
  const names = listIfThere(ready);
  for (const name of names) if (name !== logName) move(name);
  flushFolder(target);
  if (names.includes(logName)) move(logName);
  try {
    flushFolder(target);
  } catch (error) {
    moveBack(target, ready, logName);
    throw error;
  }
  removeIfEmpty(ready);
}

function moveBack(target: string, ready: string, name: string): void {
  try {
    fs.renameSync(join(target, name), join(ready, name));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function stagedName(id: string): string {
  return `.ctx-draft-${id}.tmp`;
}

/** Removes leftovers of a crash; a draft that was already complete is put in place: then returns true. */
function clearLeftovers(folder: string): boolean {
  let isCompleted = false;
  for (const name of leftoversIn(folder, /^\.ctx-draft-(.+)\.(?:tmp|ready)$/, { clockName: stagedName })) {
    if (name.endsWith(".ready")) {
      moveInside(join(folder, name), folder);
      isCompleted = true;
    } else remove(join(folder, name));
  }
  return isCompleted;
}

/** Returns false if the target exists already. If `settle` fails, the folder is renamed back. */
function moveFolder(staged: string, target: string, settle: () => void): boolean {
  try {
    if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) return false;
    fs.renameSync(staged, target);
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errnoOf(error) ?? "")) return false;
    throw toIoError(error, target, "create");
  }
  try {
    settle();
    return true;
  } catch (error) {
    fs.renameSync(target, staged);
    throw error;
  }
}

/** Removes a file while another error is being handled, which is the one to report. */
function remove(path: string): void {
  try {
    fs.rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
