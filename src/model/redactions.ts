// The record of masked secrets in a pack: `metadata.redactions`.
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { Manifest } from "./manifest.js";

/** The number of matches of each rule. */
export type RuleCounts = Record<string, number>;

export interface Redactions {
  /** The version of the set of built-in rules. */
  version: number;
  mode: "standard" | "strict";
  /** By rule: the highest number of a placeholder, and the count of placeholders. */
  rules: Record<string, { secrets: number; count: number }>;
  /** By location: the count of placeholders of each rule. */
  places: Record<string, RuleCounts>;
  /** The rules that the user defined. */
  own?: string[];
}

/** Matches placeholders. */
export const placeholders = /\[REDACTED:([a-z0-9-]{1,60}):(\d{1,9})\]/g;

/**
 * Returns the record in a manifest's metadata; undefined if nothing was masked, or ctx would not have written
 * it.
 */
export function redactionsOf({ metadata }: Pick<Manifest, "metadata">): Redactions | undefined {
  const value = metadata?.["redactions"] ?? null;
  if (!isObject(value)) return undefined;
  const { version, mode, rules = null, places = null, own = [] } = value;
  const isOurs =
    typeof version === "number" &&
    (mode === "standard" || mode === "strict") &&
    Array.isArray(own) &&
    own.every((rule) => typeof rule === "string") &&
    isObject(rules) &&
    Object.values(rules).every((rule) => isCounted(rule) && "secrets" in rule && "count" in rule) &&
    isObject(places) &&
    Object.values(places).every(isCounted);
  return isOurs ? (value as unknown as Redactions) : undefined;
}

/** Returns whether a value is an object whose members are all counts. */
function isCounted(value: JsonValue): value is JsonObject {
  return (
    isObject(value) &&
    Object.values(value).every(
      (item) => Number.isInteger(item) && (item as number) >= 0 && (item as number) <= maxCount,
    )
  );
}

const maxCount = 1_000_000;
