// Makes counts of tokens comparable. Some logs count what was read from a cache as input, too, others do not.
import { isObject, type JsonValue } from "../base/json/value.js";
import type { Manifest } from "./manifest.js";

/** The formats whose count of input includes what was read from a cache. */
const withCache: ReadonlySet<string> = new Set([
  "codex",
  "codex-exec-json",
  "gemini-cli",
  "gemini-stream-json",
  "qwen-code",
  "openai-messages",
  "openai-responses",
]);

/** Returns whether the log of a run counts what was read from a cache as input. */
export function countsCacheAsInput({ metadata }: Manifest): boolean {
  const source: JsonValue | undefined = metadata?.["source"];
  const format = source !== undefined && isObject(source) ? source["format"] : undefined;
  return typeof format === "string" && withCache.has(format);
}

/** Returns the input without what was read from a cache. */
export function freshInput(input: number, cached: number, isIncluded: boolean): number {
  return isIncluded && cached <= input ? input - cached : input;
}
