// Access to records of unknown shape: every path may be read, and a value that is missing or of another type
// is undefined.
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";

export { defined } from "../base/json/value.js";

/** Returns the value at a path of keys. */
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

/** Returns a non-blank string. */
export function wordAt(value: JsonValue | undefined, ...keys: string[]): string | undefined {
  const found = textAt(value, ...keys);
  return found === undefined || found.trim() === "" ? undefined : found;
}

/** Rejects absurd values, so that sums stay finite. */
const maxNumber = 1e200;

export function numberAt(value: JsonValue | undefined, ...keys: string[]): number | undefined {
  const found = valueAt(value, ...keys);
  return typeof found === "number" && Math.abs(found) < maxNumber ? found : undefined;
}

export function flagAt(value: JsonValue | undefined, ...keys: string[]): boolean {
  return valueAt(value, ...keys) === true;
}

export function objectAt(value: JsonValue | undefined, ...keys: string[]): JsonObject | undefined {
  const found = valueAt(value, ...keys);
  return found !== undefined && isObject(found) ? found : undefined;
}

/** Returns the elements of a list, or none if the value is not a list. */
export function listAt(value: JsonValue | undefined, ...keys: string[]): readonly JsonValue[] {
  const found = valueAt(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** Returns the elements of a list that are objects. */
export function objectsAt(value: JsonValue | undefined, ...keys: string[]): JsonObject[] {
  return listAt(value, ...keys).filter((item) => isObject(item));
}
