// What a log records as the answer to a call, as a text to recognise messages in.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Step } from "../model/manifest.js";
import { readObjectInto } from "../store/objects.js";

/** Longer answers are no messages. */
const maxMessage = 1 << 16;

/** Returns a recorded answer; empty if there is none, if it cannot be read, or if it is too long. */
export function recordedText(root: string, { output_ref, seen_ref }: Step): string {
  const reference = output_ref ?? seen_ref;
  if (reference === undefined) return "";
  try {
    const { bytes } = readObjectInto(root, hexOf(reference), (size) =>
      size > maxMessage ? undefined : Buffer.alloc(size),
    );
    return bytes?.toString("utf8") ?? "";
  } catch (error) {
    if (error instanceof CtxError) return "";
    throw error;
  }
}
