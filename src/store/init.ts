// Makes a store. config.json comes last and by rename: a .ctx folder without it is an unfinished one, which running init
// again completes.
import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CtxError, withPath } from "../base/errors.js";
import { formatVersion } from "../model/manifest.js";
import { type Batch, makeFolders, withBatch } from "./batch.js";
import { flush, flushFolder } from "./flush.js";
import { bornFiles, storeName } from "./layout.js";
import { Store } from "./store.js";

/** Makes a store in a folder, which is made too where it is missing. False when there is one already. */
export function initStore(folder: string): { root: string; created: boolean } {
  const root = join(resolve(folder), storeName);
  const existing = fs.lstatSync(root, { throwIfNoEntry: false });
  if (
    existing !== undefined &&
    fs.lstatSync(join(root, "config.json"), { throwIfNoEntry: false }) !== undefined
  )
    return { root: Store.open(root).root, created: false };
  if (existing !== undefined) refuseForeign(root);
  else withPath(folder, "create", () => fs.mkdirSync(dirname(root), { recursive: true }));
  if (process.platform !== "win32" && (fs.statSync(dirname(root)).mode & 0o002) !== 0)
    throw new CtxError(
      "store-unusable",
      `${dirname(root)} can be written by everybody, so a store there would not be safe`,
      {
        hint: "make a folder of your own in it, and run `ctx init` there",
      },
    );
  withPath(root, "create", () => fs.mkdirSync(root, { recursive: true }));
  makeFolders(root);
  withBatch(root, "add", (batch) => {
    publish(root, batch, bornFiles);
    publish(root, batch, { "config.json": `{"version":"${formatVersion}"}\n` });
  });
  flushFolder(dirname(root));
  return { root, created: true };
}

function publish(root: string, batch: Batch, files: Readonly<Record<string, string>>): void {
  const staged = Object.entries(files).map(([name, text]) => ({
    from: batch.stage(name, Buffer.from(text), 0o644),
    to: join(root, name),
  }));
  flush(root, { files: staged.map(({ from }) => from), folders: [join(root, "refs")] });
  for (const { from, to } of staged) withPath(to, "create", () => fs.renameSync(from, to));
  flushFolder(root);
}

/** Other programs have .ctx folders too: only an empty one, or an unfinished store, may become a store. */
function refuseForeign(root: string): void {
  const names = withPath(root, "list", () => fs.readdirSync(root));
  if (names.length === 0 || names.includes("objects")) return;
  throw new CtxError("store-unusable", `${root} exists and is not a store`, {
    hint: "move it away, or make the store in another folder",
  });
}
