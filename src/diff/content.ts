// Describes how the bytes of two contents differ: line by line if both are text.
import { isUtf8 } from "node:buffer";
import type { ContentChange } from "../results/drift.js";
import { textDiff } from "./text-diff.js";

/** Larger contents are not compared line by line. */
export const maxText = 1 << 20;

/** Returns the change between two contents; null for a side that has none. */
export function contentChange(a: Buffer | null, b: Buffer | null, context: number): ContentChange {
  const sizes = { size_a: a?.length ?? null, size_b: b?.length ?? null };
  if (![a, b].every(isText)) return { kind: "binary", ...sizes };
  return { kind: "text", ...sizes, ...textDiff(decode(a), decode(b), context) };
}

function decode(bytes: Buffer | null): string {
  return bytes?.toString("utf8") ?? "";
}

/** Returns whether bytes are text: UTF-8 without NUL, the latter as in git. */
export function isText(bytes: Buffer | null): boolean {
  return bytes === null || (!bytes.includes(0) && isUtf8(bytes));
}
