// Shows how the output of a replay differs from the record, in a few lines of a unified diff.
import { isUtf8 } from "node:buffer";
import { hexOf, type Reference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { textDiff } from "../diff/text-diff.js";
import { StepFailure } from "./outcome.js";
import type { Workspace } from "./workspace.js";
import { readObject } from "../store/objects.js";
import type { Store } from "../store/store.js";

const maxCompared = 1 << 20;
const maxDiffLines = 20;

function isText(bytes: Buffer): boolean {
  return bytes.length <= maxCompared && isUtf8(bytes) && !bytes.includes(0);
}

/** Returns a few lines that show how two outputs differ. Undefined where either is not text. */
export function difference(expected: Buffer, actual: Buffer): string | undefined {
  if (!isText(expected) || !isText(actual)) return undefined;
  const lines = textDiff(expected.toString("utf8"), actual.toString("utf8"), 1).diff.split("\n").slice(0, -1);
  const cut = lines.length > maxDiffLines ? ["\u2026"] : [];
  return [...lines.slice(0, maxDiffLines), ...cut, ""].join("\n");
}

/**
 * Shows how an output in the workspace differs from the recorded one. Undefined where either cannot be read.
 */
export function outputDifference(
  store: Store,
  reference: Reference,
  { workspace, path }: { workspace: Workspace; path: string },
): string | undefined {
  try {
    return difference(readObject(store.root, hexOf(reference)), workspace.read(path));
  } catch (error) {
    if (error instanceof CtxError || error instanceof StepFailure) return undefined;
    throw error;
  }
}
