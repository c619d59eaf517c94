// Fills a replay's workspace with its base: a copy of a folder, or a revision of the repository around the
// store.
import * as fs from "node:fs";
import { resolve } from "node:path";
import { hexOf, type Reference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { appendAll } from "../base/lists.js";
import type { ReplayTree } from "../results/replay.js";
import { copyFolder } from "./fill-workspace.js";
import type { ReplayContext } from "./execute.js";
import { readObject } from "../store/objects.js";
import type { Store } from "../store/store.js";
import type { ReplayOptions } from "./options.js";

/** What a workspace was filled from. */
export interface WorkspaceBase {
  from?: string;
  tree?: ReplayTree;
  /** The folder in the repository. */
  checkout?: string;
}

/** Writes the base that the inputs are laid over, if one was requested; returns what it was. */
export async function writeBase(context: ReplayContext): Promise<WorkspaceBase> {
  const { box, options, notices } = context;
  const { workspace: folder, git = options.auto === true ? "auto" : undefined } = options;
  if (git !== undefined) return await writeRevision(context, git);
  if (folder === undefined) return {};
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CtxError("not-found", `there is no folder ${folder}`);
  appendAll(notices, copyFolder(resolve(folder), box.workspace, { except: box.folder }));
  return { from: `a copy of ${folder}` };
}

/** Writes the files of a revision, and the repository as it was at that time. */
async function writeRevision(
  { store, prepared, box, workspace, options, notices }: ReplayContext,
  revision: string,
): Promise<WorkspaceBase> {
  const { manifest, steps } = prepared;
  const read = (reference: Reference): Buffer | undefined => contentOf(store, reference);
  const [
    { findCommit },
    { writeCommit },
    { makeRepository },
    { addIdentities },
    { prefixOf },
    { chooseRepository },
  ] = await Promise.all([
    import("./find-commit.js"),
    import("./git-source.js"),
    import("./git-repository.js"),
    import("./commit-identity.js"),
    import("./repository.js"),
    import("./choose-repository.js"),
  ]);
  const chosen = chooseRepository(store, manifest, options);
  const { repository } = chosen;
  appendAll(notices, chosen.notices);
  const { tree, session } = await findCommit(repository, manifest, { revision, read });
  checkGuess(tree, options);
  const prefix = prefixOf(repository);
  try {
    if (prefix === "") makeRepository(repository, box, { commit: tree.commit, session });
    else notices.push(`the workspace has no .git: it is the folder ${prefix} of the repository`);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    notices.push(`the workspace has no .git: ${error.message}`.slice(0, 500));
  }
  addIdentities(repository, { manifest, steps }, read);
  appendAll(notices, writeCommit(repository, tree.commit, workspace));
  return { from: describeTree(tree), tree, checkout: repository.folder };
}

/** Asks whether a guess is right, or throws if no person can answer. */
function checkGuess(tree: ReplayTree, { askGuess, yes }: ReplayOptions): void {
  if (tree.how !== "guess" || yes === true) return;
  if (askGuess !== undefined && askGuess(tree)) return;
  const { commit } = tree;
  throw new CtxError("not-found", `the commit is only a guess: ${describeHolds(tree)}`, {
    hint: `start from it with --git ${commit.slice(0, 12)}, or name another one`,
  });
}

function describeTree(tree: ReplayTree): string {
  if (tree.how !== "named") return `${tree.how}: ${describeHolds(tree)}`;
  const { commit, holds, of } = tree;
  return `git revision ${commit.slice(0, 12)}${of === 0 ? "" : `, holds ${holds} of ${of}`}`;
}

/** Returns "9ab31c28f0aa holds 42 of 50 (recorded 90f7f1a2b3 holds 14)". */
function describeHolds({ commit, holds, of, recorded, stopped }: ReplayTree): string {
  let text = `${commit.slice(0, 12)} holds ${holds} of ${of}`;
  if (recorded !== undefined) {
    const is = recorded.holds === null ? "is not in the repository" : `holds ${recorded.holds}`;
    text += ` (recorded ${recorded.commit.slice(0, 10)} ${is})`;
  }
  return stopped === undefined ? text : `${text}; ${stopped}`;
}

/** Returns a content of the pack; undefined if it is missing or damaged. */
function contentOf(store: Store, reference: Reference): Buffer | undefined {
  try {
    return readObject(store.root, hexOf(reference));
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
