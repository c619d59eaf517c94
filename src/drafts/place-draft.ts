// Puts a draft in place so that after a crash it is there whole, or not at all: written aside, flushed, then renamed.
import * as fs from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { CtxError, errnoOf, toIoError, withPath } from "../base/errors.js";
import { listIfThere, makeFolder } from "../base/fs/files.js";
import { withBatch } from "../store/batch-lock.js";
import { flush, flushFolder } from "../store/flush.js";
import { makeFoldersDownTo } from "../store/durable-folders.js";
import { isOwnerRunning, ownId } from "../store/lock.js";
import { modesOf } from "../store/modes.js";
import type { Store } from "../store/store.js";
import { type Draft, logName } from "./draft.js";
import { type DraftContents, fillDraft } from "./draft-folder.js";

/** Puts a draft into the store's own folder for them, and gives its path. */
export function writeOwnDraft(store: Store, hex: string, draft: Draft): string {
  return withBatch(store, "add", (batch) => {
    const drafts = join(store.root, "drafts");
    const staged = join(batch.aside, "draft");
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

/** Puts a draft where it was asked for: into a new folder, or one that is empty. */
export function writeDraftAt(store: Store, target: string, hex: string, draft: Draft): string {
  const isOwn = checkPlace(store, target);
  const modes = isOwn ? modesOf(store.root) : undefined;
  if (modes !== undefined) makeFolder(join(store.root, "drafts"), modes.folder);
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  const contents = { hex, draft, ...(modes === undefined ? {} : { modes }) };
  if (stat === undefined) writeBeside(store, target, contents);
  // A link to an empty folder is none: what is behind it belongs to somebody else.
  else if (stat.isDirectory()) writeInside(store, target, contents);
  else throw taken(target);
  return target;
}

function taken(target: string): CtxError {
  return new CtxError("exists", `${target} exists, and is not an empty folder`, {
    hint: "name another folder, or none: then the draft goes into the store",
  });
}

/** Whether a draft would lie in the store. Of the store's own folders only drafts/ is for drafts. */
function checkPlace({ root }: Store, target: string): boolean {
  const inside = relative(root, resolve(target)).split(sep);
  if (inside[0] === ".." || isAbsolute(inside[0] as string)) return false;
  if (inside.length === 2 && inside[0] === "drafts") return true;
  throw new CtxError("usage", `${target} is inside the store, where a draft can only be in drafts/`);
}

/** One rename makes the folder. */
function writeBeside(store: Store, target: string, contents: DraftContents): void {
  const around = dirname(resolve(target));
  const made: string[] = [];
  const staged = join(around, `.ctx-draft-${ownId()}.tmp`);
  try {
    makeFoldersDownTo(around, made);
    clearLeftovers(around);
    fillDraft(store, staged, contents);
    if (!moveFolder(staged, target, () => flushFolder(around))) throw taken(target);
  } catch (error) {
    remove(staged);
    for (const folder of made.toReversed()) removeIfEmpty(folder);
    throw error;
  }
}

/**
 * The folder is somebody's, who may be in it: it stays, and its entries are moved in, the log last. Between the first and the
 * last of these renames the aside folder is called ready, and whoever comes after a crash goes on from there.
 */
function writeInside(store: Store, target: string, contents: DraftContents): void {
  if (clearLeftovers(target))
    throw new CtxError("exists", `${target} exists: a fork into it was interrupted, and is whole now`);
  if (listIfThere(target).length > 0) throw taken(target);
  const id = ownId();
  const [staged, ready] = [join(target, `.ctx-draft-${id}.tmp`), join(target, `.ctx-draft-${id}.ready`)];
  try {
    fillDraft(store, staged, contents);
    // Of two that came at once, at least one gives way: whoever sees the other.
    if (listIfThere(target).length > 1) throw taken(target);
    withPath(ready, "create", () => fs.renameSync(staged, ready));
    moveInside(ready, target);
  } catch (error) {
    for (const name of listIfThere(ready).length > 0 ? draftNames : []) moveBack(target, ready, name);
    remove(staged);
    remove(ready);
    throw error;
  }
}

/** All that can be at the top of a draft. */
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

/** What a crash left is taken away by the next one who comes along; what was whole already is put in place: then true. */
function clearLeftovers(folder: string): boolean {
  let isCompleted = false;
  for (const name of listIfThere(folder)) {
    const [, owner, state] = /^\.ctx-draft-(.+)\.(tmp|ready)$/.exec(name) ?? [];
    if (owner === undefined || isOwnerRunning(owner) !== false) continue;
    if (state === "ready") {
      moveInside(join(folder, name), folder);
      isCompleted = true;
    } else remove(join(folder, name));
  }
  return isCompleted;
}

/** False when something stands there already. Where what comes after fails, the folder is not there. */
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

/** In the wake of another error, which is the one to be told. */
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
