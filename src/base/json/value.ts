// The JSON values that logs and manifests are made of. Objects are plain, with own properties only: look keys
// up with Object.hasOwn, never with `in`.
export type JsonValue = null | boolean | number | ExactInteger | string | JsonValue[] | JsonObject;

/**
 * An integer past 2^53, kept as it was written. Not a bigint: making one of a million digits takes most of a
 * second, and a pack from a stranger may hold many.
 */
export class ExactInteger {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

export interface JsonObject {
  [key: string]: JsonValue;
}

export function isObject(value: JsonValue): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactInteger)
  );
}

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** Sets an own property, also for `__proto__`, which plain assignment would lose. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** Returns an object of the members that are not undefined. */
export function defined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) setOwn(object, key, value);
  return object;
}

/** Returns the kind of the value that begins with this byte, if any does. */
export function kindOf(byte: number): JsonKind | undefined {
  switch (byte) {
    case 0x7b:
      return "object";
    case 0x5b:
      return "array";
    case 0x22:
      return "string";
    case 0x74:
    case 0x66:
      return "boolean";
    case 0x6e:
      return "null";
    default:
      return byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? "number" : undefined;
  }
}
