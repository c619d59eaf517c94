// Whether a pack was recorded from a run, or made in another way: what it says itself, and what its steps give away.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { editedPaths, isNeverRun } from "../model/edited-paths.js";
import type { Manifest } from "../model/manifest.js";
import {
  type DraftOrigin,
  type KnownDraft,
  type KnownOrigin,
  originOf,
  unknownEdits,
} from "../model/origin.js";
import { hasPack, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";

/** Where a pack comes from; undefined for a run that was recorded. */
export function knownOrigin(store: Store, manifest: Manifest): KnownOrigin | undefined {
  const parent = manifest.parent === undefined ? {} : { parent: manifest.parent };
  const stated = originOf(manifest);
  if (stated !== undefined) return { ...stated, ...parent };
  // Packs that an earlier version sealed from drafts say nothing.
  const before = readParent(store, manifest);
  if (before === undefined || !isNeverRun(manifest, before)) return undefined;
  return { kind: "draft", edited: editedPaths(manifest, before), ...parent, recognised: true };
}

/** The same when it is a draft. */
export function knownDraft(store: Store, manifest: Manifest): KnownDraft | undefined {
  const origin = knownOrigin(store, manifest);
  return origin?.kind === "draft" ? origin : undefined;
}

/** The origin of a pack that is sealed from a draft: `parent` is undefined when it is not in the store. */
export function draftOrigin(manifest: Manifest, parent: Manifest | undefined): DraftOrigin {
  return { kind: "draft", edited: parent === undefined ? [...unknownEdits] : editedPaths(manifest, parent) };
}

/** The parent's manifest, if the pack is here, can be read, and has no field that a draft would have lost. */
export function readParent(store: Store, { parent }: Pick<Manifest, "parent">): Manifest | undefined {
  if (parent === undefined || !hasPack(store.root, hexOf(parent))) return undefined;
  try {
    const { manifest, unknown } = readPack(store.root, hexOf(parent));
    return unknown.length === 0 ? manifest : undefined;
  } catch (error) {
    // A damaged parent must not stop what is done with its child.
    if (error instanceof CtxError && error.code !== "io") return undefined;
    throw error;
  }
}
