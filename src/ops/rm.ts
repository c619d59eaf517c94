// `ctx rm`: takes packs out of the listing. Their objects stay until `ctx gc`.
import * as fs from "node:fs";
import { type Reference, toReference } from "../base/digest.js";
import { asIoError, CtxError, withPath } from "../base/errors.js";
import type { RmResult } from "../model/results.js";
import { withBatch } from "../store/with-batch.js";
import { flushFolder } from "../store/flush.js";
import { latestPath, packPath, packsPath } from "../store/layout.js";
import { childrenOf } from "../store/lineage.js";
import { objectSize } from "../store/objects.js";
import { keptBy, keptObjects } from "../store/reach.js";
import { readLatest, tagsByPack } from "../store/refs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { removeTag } from "../store/write-tags.js";

export function rm(store: Store, names: readonly string[], options: { force?: boolean } = {}): RmResult {
  try {
    return withBatch(store.root, "sweep", () => {
      const packs = new Set(names.map((name) => resolvePack(store, name)));
      const children = childrenOf(store, packs).map(toReference);
      const byPack = tagsByPack(store.root);
      const tags = [...packs].flatMap((hex) => byPack.get(hex) ?? []);
      if (options.force !== true) refuse(children, tags);
      const frees = freedBy(store, packs);
      for (const tag of tags) removeTag(store.root, tag);
      // Without it the newest pack is called latest; with it the contents would never go.
      if (packs.has(readLatest(store.root) ?? "")) fs.rmSync(latestPath(store.root), { force: true });
      for (const hex of packs) {
        const path = packPath(store.root, hex);
        withPath(path, "remove", () => fs.unlinkSync(path));
      }
      flushFolder(packsPath(store.root));
      return { removed: [...packs].map(toReference), children, tags, frees };
    });
  } catch (error) {
    throw asIoError(error);
  }
}

function refuse(children: readonly Reference[], tags: readonly string[]): void {
  const problems = [
    ...children.map((child) => `ctx://${child.slice("sha256:".length)} was made from it`),
    ...tags.map((tag) => `the tag ${tag} names it`),
  ];
  if (problems.length === 0) return;
  throw new CtxError("in-use", "something here still names that pack", {
    problems: problems.map((message) => ({ path: "", message })),
    hint: "--force takes it out all the same, and its tags with it",
  });
}

/** What `ctx gc` will free once these are gone; undefined when another pack cannot be read, so that nobody knows. */
function freedBy(store: Store, packs: ReadonlySet<string>): RmResult["frees"] {
  try {
    const kept = keptObjects(store, packs);
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

/** A damaged pack can be taken out as well; what it needs is then not known. */
function keptOrNone(store: Store, hex: string): Set<string> {
  try {
    return keptBy(store, hex);
  } catch (error) {
    if (error instanceof CtxError) return new Set([hex]);
    throw error;
  }
}
