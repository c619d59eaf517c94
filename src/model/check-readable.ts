// Reads a manifest back before it becomes a pack, so that a pack that was reported can be read, whatever made its manifest.
import { canonicalBytes } from "../base/canonical.js";
import { CtxError } from "../base/errors.js";
import type { Manifest } from "./manifest.js";
import { isStep } from "./quick-manifest.js";
import { readManifest } from "./read-manifest.js";

/** In a manifest with more bytes than this, steps are checked before they are written: reading them back would cost too much. */
const readWhole = 1 << 18;

/** Throws when the strict reader refuses the canonical bytes of this manifest. */
export function checkReadable(manifest: Manifest, pieces: readonly Buffer[]): void {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const isPlain = size > readWhole && manifest.steps.every((step, position) => isStep(step, position));
  try {
    readManifest(isPlain ? canonicalBytes({ ...manifest, steps: [] }) : Buffer.concat(pieces, size), "it");
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    throw new CtxError("internal", "ctx made a manifest that it cannot read back, so it packed nothing", {
      problems: error.problems ?? [{ path: "", message: error.message }],
      hint: "please report this, with the settings in config.json that apply to the store",
      cause: error,
    });
  }
}
