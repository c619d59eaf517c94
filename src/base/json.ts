// The JSON values that logs and manifests are made of. Integers past 2^53 are bigints, so every digit survives;
// objects are plain, with own properties only: look keys up with Object.hasOwn, never with `in`.
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** Sets an own property, also for `__proto__`, which plain assignment would lose. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
