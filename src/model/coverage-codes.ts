// Codes for texts of `metadata.coverage.unknown`. The texts are hashed into packs and never change; programs
// compare codes instead of English. A text without a code is for people only.
import { isObject } from "../base/json/value.js";
import type { Manifest } from "./manifest.js";

export const coverageTexts = {
  system_prompt: "the system prompt (not recorded)",
  times: "times",
} as const;

export type CoverageCode = keyof typeof coverageTexts;

/** Returns whether the coverage of a run lists something as unknown. */
export function isUnknown({ metadata }: Pick<Manifest, "metadata">, code: CoverageCode): boolean {
  const coverage = metadata?.["coverage"];
  const unknown = coverage !== undefined && isObject(coverage) ? coverage["unknown"] : undefined;
  return Array.isArray(unknown) && unknown.includes(coverageTexts[code]);
}
