// Looks into records of which nothing is known for sure: every question may be asked, and what is not there, or is of another
// kind, is undefined.
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";

export { given } from "../base/json/value.js";

/** What stands at a path of keys. */
export function valueAt(value: JsonValue | undefined, ...keys: string[]): JsonValue | undefined {
  let found = value;
  for (const key of keys) {
    if (found === undefined || !isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

export function textAt(value: JsonValue | undefined, ...keys: string[]): string | undefined {
  const found = valueAt(value, ...keys);
  return typeof found === "string" ? found : undefined;
}

/** A text that says something. */
export function wordAt(value: JsonValue | undefined, ...keys: string[]): string | undefined {
  const found = textAt(value, ...keys);
  return found === undefined || found.trim() === "" ? undefined : found;
}

/** Nothing that is counted or measured comes near it, and sums of a few stay numbers. */
const largest = 1e200;

export function numberAt(value: JsonValue | undefined, ...keys: string[]): number | undefined {
  const found = valueAt(value, ...keys);
  return typeof found === "number" && Math.abs(found) < largest ? found : undefined;
}

export function flagAt(value: JsonValue | undefined, ...keys: string[]): boolean {
  return valueAt(value, ...keys) === true;
}

export function objectAt(value: JsonValue | undefined, ...keys: string[]): JsonObject | undefined {
  const found = valueAt(value, ...keys);
  return found !== undefined && isObject(found) ? found : undefined;
}

/** The items of a list; none where there is no list. */
export function listAt(value: JsonValue | undefined, ...keys: string[]): readonly JsonValue[] {
  const found = valueAt(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** Those items of a list that are objects. */
export function objectsAt(value: JsonValue | undefined, ...keys: string[]): JsonObject[] {
  return listAt(value, ...keys).filter((item) => isObject(item));
}
