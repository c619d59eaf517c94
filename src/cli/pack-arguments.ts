// Resolves the names of packs on a command line: packs in the store, or bundles.
import * as fs from "node:fs";
import { resolve } from "node:path";
import { lazy } from "../base/lazy.js";
import type { BundleName, BundleOptions } from "../bundle/open-bundles.js";
import { listTags } from "../store/refs.js";
import type { Store } from "../store/store.js";
import type { Call } from "./command.js";
import { openStore, openStoreIfAny } from "./open-store.js";
import { progressOn } from "./output.js";

/** The help on an argument that takes any name of a pack. */
export const packNames =
  "a hash or its first digits, ctx://<hash>, latest, a tag, or a file (run.ctx, run.ctx#<hash>); ~N for its Nth parent";

/** Parses `run.ctx` or `run.ctx#<prefix>` if there is such a file; returns undefined for every other name. */
export function bundleName(call: Call, name: string): BundleName | undefined {
  if (/^(?:ctx:\/\/|sha256:)/i.test(name)) return undefined;
  const [, before = "", after] = /^(.+?)(?:#([^#/]*))?$/.exec(name) ?? [];
  // A file whose whole name contains the # comes first.
  const [path, pack] =
    after !== undefined && isFile(call, name) === true ? [name, undefined] : [before, after];
  const isBundle =
    path.includes("/") || pack !== undefined || (path.endsWith(".ctx") && isBundleFile(call, path));
  return isBundle ? { file: resolve(call.folder, path), pack } : undefined;
}

/** Returns undefined if nothing has that path. */
function isFile(call: Call, path: string): boolean | undefined {
  return fs.statSync(resolve(call.folder, path), { throwIfNoEntry: false })?.isFile();
}

/** Returns whether the name means a file: one that exists, or a missing one if no tag has the name either. */
function isBundleFile(call: Call, path: string): boolean {
  const found = isFile(call, path);
  if (found !== undefined) return found;
  const store = openStoreIfAny(call);
  return store === undefined || !listTags(store.root).includes(path);
}

/** Runs `work` on a store that has these packs: the user's store, unless a name is a bundle. */
export async function withPacks<T>(
  call: Call,
  names: readonly string[],
  work: (store: Store, names: string[]) => Promise<T>,
): Promise<T> {
  const resolved = names.map((name) => bundleName(call, name) ?? name);
  if (resolved.every((name) => typeof name === "string")) return await work(openStore(call), [...names]);
  const { withBundles } = await import("../bundle/open-bundles.js");
  return await withBundles(resolved, bundleOptions(call), work);
}

export function bundleOptions(call: Call): BundleOptions {
  const progress = progressOn(call, (done, of) => `reading ${Math.floor((100 * done) / of)} %`, 1 << 24);
  return {
    store: openStoreIfAny(call),
    folder: call.folder,
    temp: lazy("os").tmpdir(),
    progress: (done, of) => (done < of ? progress.show(done, of) : progress.clear()),
  };
}
