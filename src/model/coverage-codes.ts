// Codes for texts of `metadata.coverage.unknown`. The texts are hashed into packs and never change; programs
// compare codes instead of English. A text without a code is for people only.
import { isObject } from "../base/json/value.js";
import type { Manifest } from "./manifest.js";

export const coverageTexts = {
  system_prompt: "the system prompt (not recorded)",
  times: "times",
} as const;

/**
 * Which texts say that the log does not record whether calls failed: such a log calls each answered one `ok`.
 */
export const unknownFailures = {
  commands: "whether commands failed (not recorded)",
  chat: "whether tool calls failed (chat messages do not say it)",
  responses: "whether tool calls failed (function outputs do not say it)",
  atif: "whether some tool calls failed (ATIF has no field for it)",
} as const;

export type CoverageCode = keyof typeof coverageTexts;

/** Returns whether the coverage of a run lists something as unknown. */
export function isUnknown({ metadata }: Pick<Manifest, "metadata">, code: CoverageCode): boolean {
  return listsUnknown(metadata, coverageTexts[code]);
}

/** Returns what a run's log does not record about failures, such as `whether commands failed`. */
export function unrecordedFailures({ metadata }: Pick<Manifest, "metadata">): string | undefined {
  const text = Object.values(unknownFailures).find((each) => listsUnknown(metadata, each));
  return text?.slice(0, text.indexOf(" ("));
}

function listsUnknown(metadata: Manifest["metadata"], text: string): boolean {
  const coverage = metadata?.["coverage"];
  const unknown = coverage !== undefined && isObject(coverage) ? coverage["unknown"] : undefined;
  return Array.isArray(unknown) && unknown.includes(text);
}
