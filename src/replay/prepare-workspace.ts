// Fills a replay's workspace with its base: a copy of a folder, or a revision of the repository around the
// store.
import * as fs from "node:fs";
import { resolve } from "node:path";
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { appendAll } from "../base/lists.js";
import type { Manifest } from "../model/manifest.js";
import type { SandboxDir } from "./sandbox-dir.js";
import { copyFolder } from "./fill-workspace.js";
import type { Workspace } from "./workspace.js";
import { readObject } from "../store/objects.js";
import type { Store } from "../store/store.js";
import type { ReplayOptions } from "./options.js";

/** Writes the base that the inputs are laid over, if one was requested; returns what it was. */
export async function writeBase(
  store: Store,
  manifest: Manifest,
  {
    box,
    workspace,
    options,
    notices,
  }: { box: SandboxDir; workspace: Workspace; options: ReplayOptions; notices: string[] },
): Promise<string | undefined> {
  const { workspace: folder, git, machine } = options;
  if (folder !== undefined) {
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new CtxError("not-found", `there is no folder ${folder}`);
    appendAll(notices, copyFolder(resolve(folder), box.workspace, { except: box.folder }));
    return `a copy of ${folder}`;
  }
  if (git === undefined) return undefined;
  const { findCommit, writeCommit } = await import("./git-source.js");
  const repository = { folder: store.folder, path: machine.path, home: machine.home };
  const { commit, why } = findCommit(repository, git, manifest, (index) =>
    inputBytes(store, manifest, index),
  );
  appendAll(notices, writeCommit(repository, commit, workspace));
  return `git revision ${commit.slice(0, 12)} (${why})`;
}

function inputBytes(store: Store, { inputs }: Manifest, index: number): Buffer | undefined {
  const reference = inputs[index]?.content_ref;
  try {
    return reference === undefined ? undefined : readObject(store.root, hexOf(reference));
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
