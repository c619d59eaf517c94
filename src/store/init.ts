// Creates a store. config.json comes last and by rename: a .ctx folder without it is unfinished, and running
// init again completes it.
import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { asIoError, CtxError, withPath } from "../base/errors.js";
import { makeFolder } from "../base/fs/files.js";
import { formatVersion } from "../model/manifest.js";
import type { Batch } from "./batch.js";
import { flushFolder } from "../base/fs/flush.js";
import { makeDurableFolders } from "../base/fs/make-folders.js";
import { bornFiles, storeName, tagPath } from "./layout.js";
import { modesOf, privateFolder } from "./modes.js";
import { Store } from "./store.js";
import { withBatch } from "./batch-lock.js";

export interface NewStore {
  /** A store that a team commits: as readable as the umask allows. Otherwise only its owner can read it. */
  shared?: boolean;
  /** Called before the store becomes visible. */
  onCreated?: (root: string) => void;
}

/**
 * Creates a store in a folder, and the folder too if it is missing. `created` is false if there is a store
 * already.
 */
export function initStore(
  folder: string,
  { shared = false, onCreated }: NewStore = {},
): { root: string; created: boolean } {
  const root = join(resolve(folder), storeName);
  try {
    if (fs.lstatSync(join(root, "config.json"), { throwIfNoEntry: false }) !== undefined)
      return { root: Store.open(root).root, created: false };
    if (fs.lstatSync(root, { throwIfNoEntry: false }) !== undefined) refuseForeign(root);
    makeDurableFolders(dirname(root));
    if (process.platform !== "win32" && (fs.statSync(dirname(root)).mode & 0o002) !== 0)
      throw tooOpen(dirname(root));
    makeFolder(root, shared ? undefined : privateFolder);
    // The folder may have existed, empty or half made, and the umask may have removed permissions.
    if (!shared) withPath(root, "change", () => fs.chmodSync(root, privateFolder));
    flushFolder(dirname(root));
    const unfinished = { root, onWait: undefined, assertExists: () => undefined };
    withBatch(unfinished, "add", (batch) => {
      makeFolder(tagPath(root, ""), modesOf(root).folder);
      flushFolder(dirname(tagPath(root, "")));
      publish(root, batch, bornFiles(shared));
      onCreated?.(root);
      const more = shared ? ',"shared":true' : "";
      publish(root, batch, { "config.json": `{"version":"${formatVersion}"${more}}\n` });
    });
    return { root, created: true };
  } catch (error) {
    throw asIoError(error);
  }
}

function tooOpen(folder: string): CtxError {
  return new CtxError(
    "store-unusable",
    `${folder} is writable by every user, so a store there would not be safe`,
    {
      hint: "make a folder of your own in it and run `ctx init` there",
    },
  );
}

/** Writes files at the top of a store, replacing existing ones. */
export function publish(root: string, batch: Batch, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, text] of Object.entries(files))
    batch.moveIn(batch.stage(name, Buffer.from(text), 0o644), join(root, name));
  flushFolder(root);
}

/**
 * Throws if the folder may belong to another program, since others have .ctx folders too: only an empty one,
 * or an unfinished store, may become a store.
 */
function refuseForeign(root: string): void {
  const names = withPath(root, "list", () => fs.readdirSync(root));
  if (names.length === 0 || names.includes("objects")) return;
  throw new CtxError("store-unusable", `${root} already exists and is not a store`, {
    hint: "move it away, or run `ctx init` in another folder",
  });
}
