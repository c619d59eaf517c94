// Writes and removes titles, so that neither a crash nor a second writer leaves half a title.
import { dirname } from "node:path";
import { CtxError } from "../base/errors.js";
import { makeFolder } from "../base/fs/files.js";
import { flush } from "../base/fs/flush.js";
import { maxTitleBytes } from "../model/title.js";
import { type BatchStore, withBatch } from "./batch-lock.js";
import { titlePath } from "./layout.js";
import { removeDurably } from "./remove.js";
import { modesOf } from "./modes.js";

/** Throws unless a text can be a title. */
export function checkTitle(text: string): void {
  const problem = titleProblem(text);
  if (problem !== undefined)
    throw new CtxError("usage", `the title ${problem}`, {
      hint: `a title is one line of at most ${maxTitleBytes} bytes`,
    });
}

function titleProblem(text: string): string | undefined {
  if (text.trim() === "") return "is empty";
  // A terminal would obey control characters, and a title is printed in every list.
  if (/\p{Cc}/u.test(text)) return "has a line break or another control character";
  if (!text.isWellFormed()) return "is not valid Unicode";
  return Buffer.byteLength(text) > maxTitleBytes ? `is longer than ${maxTitleBytes} bytes` : undefined;
}

/** Sets the title of a pack. */
export function writeTitle(store: BatchStore, hex: string, text: string): void {
  checkTitle(text);
  const { root } = store;
  const folder = titlePath(root, "");
  withBatch(store, "add", (batch) => {
    makeFolder(folder, modesOf(root).folder);
    batch.moveIn(batch.stage("title", Buffer.from(`${text}\n`), 0o644), titlePath(root, hex));
    flush(root, { files: [], folders: [folder, dirname(folder), root] });
  });
}

/** Removes the title of a pack; false if there was none. */
export function removeTitle(root: string, hex: string): boolean {
  return removeDurably(root, titlePath(root, hex));
}
