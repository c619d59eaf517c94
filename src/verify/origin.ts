// Finds whether a pack was recorded from a run, or made in another way: from what it says itself, and from
// what its steps reveal.
import { hexOf, type Reference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { editedPaths, isNeverRun } from "../tools/edited-paths.js";
import type { Manifest, Output } from "../model/manifest.js";
import {
  type DraftOrigin,
  type KnownDraft,
  type KnownOrigin,
  outputMaker,
  originOf,
  type ReplayOrigin,
  unknownEdits,
} from "../model/origin.js";
import { hasPack, type Pack, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";

/** Returns where a pack comes from; undefined for a run that was recorded. */
export function knownOrigin(store: Store, manifest: Manifest): KnownOrigin | undefined {
  const parent = manifest.parent === undefined ? {} : { parent: manifest.parent };
  const stated = originOf(manifest);
  if (stated?.kind === "replay")
    return { ...stated, ...(isOfDraft(store, stated) ? { of_draft: true } : {}), ...parent };
  if (stated !== undefined) return { ...stated, ...parent };
  // Packs that an earlier version sealed from drafts have no origin.
  return recognisedDraft(store, manifest);
}

/** A pack that proves no file: a draft, or one that claims another origin, but has no step of its own. */
export type UnprovenPack = KnownDraft & {
  stated?: "replay" | "continued";
  /** For a pack that claims to be a replay, what speaks against its outputs. */
  replay?: { of: Reference; why: "of-draft" | "other-outputs" };
};

/**
 * Returns the origin as a reason not to trust a pack's outputs. What a pack says of itself never improves a
 * verdict: one that calls itself a replay, while its steps are all its parent's and something else differs,
 * proves no more than one that says nothing.
 */
export function knownDraft(store: Store, manifest: Manifest): UnprovenPack | undefined {
  const origin = knownOrigin(store, manifest);
  if (origin === undefined || origin.kind === "draft") return origin;
  const draft = recognisedDraft(store, manifest);
  if (draft !== undefined) return { ...draft, stated: origin.kind };
  const why = origin.kind === "replay" ? doubtInReplay(store, manifest, origin) : undefined;
  if (origin.kind !== "replay" || why === undefined) return undefined;
  return { kind: "draft", edited: [], stated: "replay", replay: { of: origin.of, why } };
}

function doubtInReplay(
  store: Store,
  { outputs }: Manifest,
  { of, fidelity, of_draft }: ReplayOrigin,
): "of-draft" | "other-outputs" | undefined {
  if (of_draft === true) return "of-draft";
  const replayed = fidelity === "exact" ? readIfHere(store, of)?.manifest : undefined;
  if (replayed === undefined) return undefined;
  // An exact replay has no output that the pack does not have.
  const known = new Map(replayed.outputs.map(({ name, content_ref }) => [name, content_ref]));
  const isEqual = outputs.every(({ name, content_ref }) => known.get(name) === content_ref);
  return isEqual ? undefined : "other-outputs";
}

/**
 * Returns whether the steps of a replay come from a draft: as it says, or as the packs say that were replayed
 * and are in the store. Earlier versions did not write `of_draft`.
 */
function isOfDraft(store: Store, origin: ReplayOrigin): boolean {
  let replay = origin;
  while (replay.of_draft !== true) {
    const replayed = readIfHere(store, replay.of)?.manifest;
    if (replayed === undefined) return false;
    const before = originOf(replayed) ?? recognisedDraft(store, replayed);
    if (before?.kind !== "replay") return before?.kind === "draft";
    replay = before;
  }
  return true;
}

/**
 * Returns whether a pack calls itself a replay and does not name a step that made this output: then the
 * replay only copied it, from the pack that was replayed or from a folder of the user's, and it proves
 * nothing.
 */
export function isCopied(manifest: Manifest, output: Output): boolean {
  const origin = originOf(manifest);
  return origin?.kind === "replay" && outputMaker(origin, manifest, output) === undefined;
}

/** Returns the outputs that prove the files that they were written to. */
export function provenOutputs(store: Store, manifest: Manifest): Output[] {
  if (knownDraft(store, manifest) !== undefined) return [];
  return manifest.outputs.filter((output) => !isCopied(manifest, output));
}

function recognisedDraft(store: Store, manifest: Manifest): KnownDraft | undefined {
  const { parent } = manifest;
  const before = readParent(store, manifest);
  if (parent === undefined || before === undefined || !isNeverRun(manifest, before)) return undefined;
  return { kind: "draft", edited: editedPaths(manifest, before), parent, recognised: true };
}

/**
 * Returns the origin of a pack that is sealed from a draft: `parent` is undefined if it is not in the store.
 */
export function draftOrigin(manifest: Manifest, parent: Manifest | undefined): DraftOrigin {
  return { kind: "draft", edited: parent === undefined ? [...unknownEdits] : editedPaths(manifest, parent) };
}

/**
 * Returns the parent's manifest, if the pack is here, can be read, and has no field that a draft would have
 * lost.
 */
export function readParent(store: Store, { parent }: Pick<Manifest, "parent">): Manifest | undefined {
  const pack = parent === undefined ? undefined : readIfHere(store, parent);
  return pack?.unknown.length === 0 ? pack.manifest : undefined;
}

/** Returns a pack, if it is in the store and can be read. */
function readIfHere(store: Store, reference: Reference): Pack | undefined {
  if (!hasPack(store.root, hexOf(reference))) return undefined;
  try {
    return readPack(store.root, hexOf(reference));
  } catch (error) {
    // A damaged pack must not stop work on another pack that names it.
    if (error instanceof CtxError && error.code !== "io") return undefined;
    throw error;
  }
}
