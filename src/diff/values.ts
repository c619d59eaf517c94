// Lists the values that differ between two JSON objects, each with its path.
import { canonicalText } from "../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { ValueChange } from "../results/drift.js";

/** Returns the differing values, in the order of their paths. */
export function valueChanges(a: JsonObject, b: JsonObject): ValueChange[] {
  const found: ValueChange[] = [];
  compare(a, b, "$", found);
  return found;
}

function compare(a: JsonValue, b: JsonValue, path: string, found: ValueChange[]): void {
  if (isObject(a) && isObject(b)) {
    for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort())
      member(own(a, key), own(b, key), path + keyOf(key), found);
  } else if (Array.isArray(a) && Array.isArray(b)) {
    for (let at = 0; at < Math.max(a.length, b.length); at++) member(a[at], b[at], `${path}[${at}]`, found);
  } else if (canonicalText(a) !== canonicalText(b)) {
    found.push({ path, pack_a: a, pack_b: b });
  }
}

function member(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  path: string,
  found: ValueChange[],
): void {
  if (a !== undefined && b !== undefined) compare(a, b, path, found);
  else found.push({ path, pack_a: a ?? null, pack_b: b ?? null, absent: a === undefined ? "a" : "b" });
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function keyOf(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
