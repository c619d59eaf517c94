// Reads a manifest back before it becomes a pack: every pack that ctx reports can be read again.
import { canonicalBytes } from "../base/json/canonical.js";
import { isReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Manifest, Step } from "./manifest.js";
import { isUtcTime } from "./times.js";
import { readManifest } from "./read-manifest.js";

/** Above this many bytes, steps are checked as objects: reading their bytes back would take too long. */
const readWhole = 1 << 18;

/** Throws if the strict reader refuses the canonical bytes of this manifest. */
export function checkReadable(manifest: Manifest, pieces: readonly Buffer[]): void {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const isPlain = size > readWhole && manifest.steps.every(isSound);
  try {
    readManifest(isPlain ? canonicalBytes({ ...manifest, steps: [] }) : Buffer.concat(pieces, size), "it");
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    throw new CtxError("internal", "ctx built a manifest that it cannot read back, so nothing was packed", {
      problems: error.problems ?? [{ path: "", message: error.message }],
      hint: "please report this, with the settings in config.json that apply to the store",
      cause: error,
    });
  }
}

/** Returns whether a step has only fields that the reader accepts. Unrolled: there may be a million steps. */
function isSound(step: Step, position: number): boolean {
  const { index, type, deterministic, parameters, tool, timestamp, metadata } = step;
  let known = 4;
  if (index !== position || typeof type !== "string" || typeof deterministic !== "boolean") return false;
  if (!isPlain(parameters)) return false;
  if (tool !== undefined && ++known > 0 && typeof tool !== "string") return false;
  if (timestamp !== undefined && ++known > 0 && !isUtcTime(timestamp)) return false;
  if (metadata !== undefined && ++known > 0 && !isPlain(metadata)) return false;
  for (const reference of [step.output_ref, step.seen_ref, step.pack])
    if (reference !== undefined && ++known > 0 && !isReference(reference)) return false;
  return Object.keys(step).length === known;
}

function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
