// `ctx rm`: removes packs from the listing. Their objects stay until `ctx gc`.
import { type Reference, toReference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import type { RmResult } from "../results/results.js";
import { forgetGonePacks } from "../search/indexed-packs.js";
import { withBatch } from "../store/batch-lock.js";
import { withCatalog } from "../store/catalog.js";
import { flushFolder } from "../base/fs/flush.js";
import { latestPath, packPath, packsPath, tagPath, titlePath } from "../store/layout.js";
import { callersOf, childrenOf } from "../store/lineage.js";
import { objectSize } from "../store/objects.js";
import { keptBy, keptObjects } from "../store/reach.js";
import { readLatest, tagsByPack } from "../store/refs.js";
import { removeFiles } from "../store/remove.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";

export function rm(store: Store, names: readonly string[], options: { force?: boolean } = {}): RmResult {
  try {
    const result = withBatch(store, "sweep", (batch) => {
      const packs = new Set(names.map((name) => resolvePack(store, name)));
      const children = childrenOf(store, packs).map(toReference);
      const byPack = tagsByPack(store.root);
      const tags = [...packs].flatMap((hex) => byPack.get(hex) ?? []);
      const callers = callersOf(store, packs, () => batch.refresh()).map(toReference);
      if (options.force !== true) refuse(children, callers, tags);
      const frees = freedBy(store, packs, () => batch.refresh());
      removeFiles(
        batch,
        tags.map((tag) => tagPath(store.root, tag)),
      );
      if (tags.length > 0) flushFolder(tagPath(store.root, ""));
      // Without this file, `latest` is the newest remaining pack; with it, the contents would never be freed.
      if (packs.has(readLatest(store.root) ?? "")) removeFiles(batch, [latestPath(store.root)]);
      removeFiles(
        batch,
        [...packs].map((hex) => packPath(store.root, hex)),
      );
      flushFolder(packsPath(store.root));
      removeFiles(
        batch,
        [...packs].map((hex) => titlePath(store.root, hex)),
      );
      const named = callers.length === 0 ? {} : { callers };
      return { removed: [...packs].map(toReference), children, ...named, tags, frees };
    });
    // The catalog has the titles of all packs, and forgets those of the removed ones now.
    withCatalog(store, () => undefined);
    forgetGonePacks(store);
    return result;
  } catch (error) {
    throw asIoError(error);
  }
}

function refuse(
  children: readonly Reference[],
  callers: readonly Reference[],
  tags: readonly string[],
): void {
  const problems = [
    ...children.map((child) => `ctx://${child.slice("sha256:".length)} was made from it`),
    ...callers.map(
      (caller) => `a step of ctx://${caller.slice("sha256:".length)} names it as a sub-agent's run`,
    ),
    ...tags.map((tag) => `the tag "${tag}" points to it`),
  ];
  if (problems.length === 0) return;
  throw new CtxError("in-use", "the pack is still referenced", {
    problems: problems.map((message) => ({ path: "", message })),
    hint: "--force removes it anyway, with its tags",
  });
}

/**
 * Returns what `ctx gc` will free once these packs are gone: nothing while the store holds a pack of a newer
 * ctx; null if another pack cannot be read, because the result is then unknown.
 */
function freedBy(store: Store, packs: ReadonlySet<string>, onProgress: () => void): RmResult["frees"] {
  try {
    const { objects: kept, newer } = keptObjects(store, packs, onProgress);
    if (newer > 0) return { objects: 0, bytes: 0 };
    const gone = new Set(
      [...packs].flatMap((hex) => [...keptOrNone(store, hex)]).filter((hex) => !kept.has(hex)),
    );
    const bytes = [...gone].reduce((sum, hex) => sum + (objectSize(store.root, hex) ?? 0), 0);
    return { objects: gone.size, bytes };
  } catch (error) {
    if (error instanceof CtxError && error.code !== "io") return null;
    throw error;
  }
}

/** Returns the objects that a pack keeps; for a damaged pack, which can be removed too, only its own hash. */
function keptOrNone(store: Store, hex: string): Set<string> {
  try {
    return keptBy(store, hex);
  } catch (error) {
    if (error instanceof CtxError) return new Set([hex]);
    throw error;
  }
}
