// The files of a draft: how they are written, and how a folder is recognised as a draft.
import * as fs from "node:fs";
import { dirname, join, sep } from "node:path";
import { hexOf } from "../base/digest.js";
import { CtxError, errnoOf, toIoError, withPath } from "../base/errors.js";
import { checkSize, usingDescriptor, usingRegular, writeAll, writeNew } from "../base/fs/files.js";
import { makeOneFolder, openNew } from "../base/fs/owner-mode.js";
import { prettyBytes } from "../base/json/pretty.js";
import { flush } from "../base/fs/flush.js";
import type { Modes } from "../store/modes.js";
import { streamObject } from "../store/objects.js";
import type { Store } from "../store/store.js";
import { type Draft, logName } from "./draft.js";
import { isReadme, readmeName, readmeOf } from "./draft-readme.js";

export interface DraftContents {
  /** The pack that it is made from. */
  hex: string;
  draft: Draft;
  /** Called during long work. */
  tick?: () => void;
  /** The modes of the store that it is in, if any. */
  modes?: Modes;
}

/** A draft outside the store is a folder like any other of the user's. */
const outside: Modes = { folder: 0o775, file: (most) => most };

/** Creates the folder, writes everything, and flushes it to disk. */
export function fillDraft(
  store: Store,
  folder: string,
  { hex, draft, tick, modes = outside }: DraftContents,
): void {
  const folders = new Set([folder]);
  const enter = (path: string): void => {
    if (folders.has(path)) return;
    enter(dirname(path));
    withPath(path, "create", () => makeOneFolder(path, modes.folder));
    folders.add(path);
  };
  withPath(folder, "create", () => makeOneFolder(folder, modes.folder));
  const mode = modes.file(0o644);
  const files = [...draft.files].map(([path, content]) => {
    const file = `${folder}/${path}`;
    enter(file.slice(0, file.lastIndexOf("/")));
    tick?.();
    if (typeof content === "string") copyObject(store.root, hexOf(content), file, mode);
    else writeNew(file, content, mode);
    return file;
  });
  const own: [string, Buffer][] = [
    [readmeName, readmeOf(hex)],
    [logName, prettyBytes(draft.log)],
  ];
  for (const [name, bytes] of own) {
    writeNew(join(folder, name), bytes, mode);
    files.push(join(folder, name));
  }
  flush(folder, { files, folders });
}

function copyObject(root: string, hex: string, file: string, mode: number): void {
  withPath(file, "write", () =>
    usingDescriptor(openNew(file, mode), (descriptor) => {
      let size = 0;
      streamObject(root, hex, (piece) => {
        writeAll(descriptor, piece);
        size += piece.length;
      });
      checkSize(file, descriptor, size);
    }),
  );
}

/** Returns whether `ctx fork` made this folder. */
export function isDraftFolder(folder: string): boolean {
  const path = join(folder, readmeName);
  try {
    // Usually there is none, and this check is cheaper than an error.
    if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return false;
    return usingRegular(path, ({ descriptor }) => {
      const head = Buffer.alloc(256);
      return isReadme(head.subarray(0, fs.readSync(descriptor, head)));
    });
  } catch (error) {
    const isOther = ["ENOENT", "ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "");
    if (isOther || error instanceof CtxError) return false;
    throw toIoError(error, path, "read");
  }
}

/**
 * Returns whether a folder is a draft: one that `ctx fork` made, or any in the store's own folder for drafts,
 * with or without its README.
 */
export function isDraftPlace(store: Store, folder: string): boolean {
  if (isDraftFolder(folder)) return true;
  try {
    const drafts = `${fs.realpathSync(join(store.root, "drafts"))}${sep}`;
    return `${fs.realpathSync(folder)}${sep}`.startsWith(drafts);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
