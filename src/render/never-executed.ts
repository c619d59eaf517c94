// What a comparison must not hide: a pack that was sealed from an edited draft has no steps of its own.
import type { DriftReport } from "../results/drift.js";
import type { KnownDraft, KnownOrigin } from "../model/origin.js";
import { shortHash } from "./layout.js";

/** A side that was never executed: `e03edc3951f9 was never executed: its steps are those of 47d75f3304bf`, and what was edited. */
export interface NeverExecuted {
  text: string;
  edited: readonly string[];
}

export function neverExecuted(report: DriftReport): NeverExecuted[] {
  const { pack_hash_a: a, pack_hash_b: b, origin_a, origin_b } = report;
  const found: NeverExecuted[] = [];
  if (origin_a?.kind === "draft") found.push(draftSide(a, origin_a, b));
  if (isOfDraft(origin_a)) found.push(replaySide(a));
  // The same pack on both sides is reported once.
  if (origin_b?.kind === "draft" && a !== b) found.push(draftSide(b, origin_b, a));
  if (isOfDraft(origin_b) && a !== b) found.push(replaySide(b));
  return found;
}

function isOfDraft(origin: KnownOrigin | undefined): boolean {
  return origin?.kind === "replay" && origin.of_draft === true;
}

function replaySide(hash: string): NeverExecuted {
  return {
    text: `${shortHash(hash)} is the replay of a draft: its steps were edited by hand, and no agent ran them`,
    edited: [],
  };
}

function draftSide(hash: string, { edited, parent }: KnownDraft, other: string): NeverExecuted {
  const owner =
    parent === undefined
      ? "of another run"
      : `of ${parent === other ? shortHash(other) : `ctx://${shortHash(parent)}`}`;
  const rest = edited.length === 0 ? "" : ", except what was edited by hand: ";
  return { text: `${shortHash(hash)} was never executed: its steps are those ${owner}${rest}`, edited };
}
