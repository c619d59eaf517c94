// What a pack says about the secrets that were masked in it: `metadata.redactions`.
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { Manifest } from "./manifest.js";

/** How often each rule found something. */
export type RuleCounts = Record<string, number>;

export interface Redactions {
  /** The number of the set of built-in rules. */
  version: number;
  mode: "standard" | "strict";
  /** By rule: the highest number that a placeholder has, and how many placeholders there are. */
  rules: Record<string, { secrets: number; count: number }>;
  /** By place: how many placeholders of each rule there are. */
  places: Record<string, RuleCounts>;
  /** Which of the rules are of the user's own. */
  own?: string[];
}

/** A placeholder. */
export const placeholders = /\[REDACTED:([a-z0-9-]{1,60}):(\d{1,9})\]/g;

/** What a manifest's metadata says; undefined when nothing was masked, or what stands there is something else. */
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

/** An object whose members are all counts. */
function isCounted(value: JsonValue): value is JsonObject {
  return (
    isObject(value) &&
    Object.values(value).every(
      (item) => Number.isInteger(item) && (item as number) >= 0 && (item as number) <= mostCounted,
    )
  );
}

const mostCounted = 1_000_000;
