// Building blocks of the rules for keys of providers.
import type { SecretRule } from "./rule.js";

/** Creates a rule for a key that is nothing but a prefix and the right number of the right characters. */
export function prefixed(
  id: string,
  anchors: string,
  rest: string,
  example: string,
  left: readonly string[] = [],
): SecretRule {
  const starts = anchors.split(" ");
  const escaped = starts.map((start) => start.replaceAll(/[.+/\\-]/g, "\\$&"));
  return {
    id,
    anchors: starts,
    isWord: true,
    pattern: new RegExp(`(?:${escaped.join("|")})${rest}`, "y"),
    examples: { masked: [`key «${example}» end`], left },
  };
}

export const hex = (count: number): string => "9f2c7b41e8d05a6634c1b2f7a95d08e3".repeat(8).slice(0, count);
export const mixed = (count: number): string => "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zC".repeat(12).slice(0, count);
export const upper = (count: number): string => "Q3W7E1R9T5Y2U8I4O6PAZSXDCFVGBHNJ".repeat(4).slice(0, count);
