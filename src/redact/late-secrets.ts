// Helps to redact contents a second time: a secret may be recognised only after contents that repeat it were
// stored.
import { hexOf, type Reference, toReference } from "../base/digest.js";
import { maxOf } from "../base/lists.js";
import type { StoredContent } from "../model/content.js";
import type { Manifest } from "../model/manifest.js";

/** Replaces contents of a manifest; `replacement` returns undefined for a content that stays. */
export function replaceContents(
  manifest: Manifest,
  replacement: (hex: string) => StoredContent | undefined,
): void {
  const replaced = (reference: Reference): Reference => {
    const stored = replacement(hexOf(reference));
    return stored === undefined ? reference : toReference(stored.hex);
  };
  manifest.system_prompt = replaced(manifest.system_prompt);
  for (const prompt of manifest.prompts) prompt.content_ref = replaced(prompt.content_ref);
  for (const input of manifest.inputs) {
    const stored = replacement(hexOf(input.content_ref));
    if (stored === undefined) continue;
    input.content_ref = toReference(stored.hex);
    input.size = stored.size;
  }
  for (const step of manifest.steps) {
    if (step.output_ref !== undefined) step.output_ref = replaced(step.output_ref);
    if (step.seen_ref !== undefined) step.seen_ref = replaced(step.seen_ref);
  }
  for (const output of manifest.outputs) output.content_ref = replaced(output.content_ref);
}

/** Returns whether pieces contain one of these secrets, also across the pieces. */
export function containAny(pieces: Iterable<Buffer>, secrets: readonly string[]): boolean {
  const overlap = maxOf(secrets, (secret) => Buffer.byteLength(secret));
  let tail: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    const bytes = tail.length === 0 ? piece : Buffer.concat([tail, piece]);
    if (secrets.some((secret) => bytes.includes(secret))) return true;
    tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - overlap)));
  }
  return false;
}
