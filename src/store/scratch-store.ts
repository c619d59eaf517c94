// A store for one command, which reads a bundle there and leaves the user's own store as it is. Nothing in it
// has to outlive the process, so nothing is flushed.
import * as fs from "node:fs";
import { join } from "node:path";
import { hexOf } from "../base/digest.js";
import { errnoOf, withPath } from "../base/errors.js";
import { makeFolder, writeNew } from "../base/fs/files.js";
import { formatVersion, reached } from "../model/manifest.js";
import { folders, objectPath, packPath, storeName } from "./layout.js";
import { leftoversIn } from "../base/fs/leftovers.js";
import { ownId } from "../base/owner-id.js";
import { readPack } from "./packs.js";
import { Store } from "./store.js";

/**
 * Creates a temporary store. `instead`: the folder that it stands in for, and the store whose settings apply
 * there.
 */
export function makeScratch(temp: string, instead: { folder: string; settings?: Store | undefined }): Store {
  clearLeftovers(temp);
  const folder = withPath(temp, "make a folder in", () => fs.mkdtempSync(join(temp, `ctx-look-${ownId()}-`)));
  const root = join(folder, storeName);
  withPath(root, "create", () => {
    fs.mkdirSync(root);
    for (const name of folders) fs.mkdirSync(join(root, name));
    writeNew(join(root, "config.json"), Buffer.from(`{"version":"${formatVersion}"}\n`), 0o644);
  });
  return Store.temporary(root, instead);
}

export function removeScratch({ root }: Store): void {
  fs.rmSync(join(root, ".."), { recursive: true, force: true });
}

/** Removes leftovers of commands that were killed. */
function clearLeftovers(temp: string): void {
  try {
    for (const name of leftoversIn(temp, /^ctx-look-(.+)-[A-Za-z0-9]{6}$/)) {
      const folder = join(temp, name);
      const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
      if (stat?.isDirectory() === true && stat.uid === process.geteuid?.())
        fs.rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    // A folder that cannot be removed does no harm.
    if (errnoOf(error) === undefined) throw error;
  }
}

/**
 * Makes a pack of another store, and the blobs that it reaches, available in a scratch store; blobs that are
 * missing there are missing here.
 */
export function linkPack(from: Store, to: Store, hex: string): void {
  if (fs.existsSync(packPath(to.root, hex))) return;
  const { manifest } = readPack(from.root, hex);
  for (const blob of new Set([hex, ...[...reached(manifest)].map(hexOf)])) {
    makeFolder(join(to.root, "objects", blob.slice(0, 2)));
    linkFile(objectPath(from.root, blob), objectPath(to.root, blob));
  }
  linkFile(packPath(from.root, hex), packPath(to.root, hex));
}

/** Links the file under a second name, or copies it if that is impossible. */
function linkFile(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST" || errno === "ENOENT") return;
    withPath(from, "copy", () => fs.copyFileSync(from, to));
  }
}
