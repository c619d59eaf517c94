// Reads attributes as exporters write them: a list of keys with typed values, as OTLP has it, or a plain
// object.
import { ExactInteger, isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import { listAt, textAt, valueAt } from "../../json-access.js";

export function attributesOf(value: JsonValue | undefined): JsonObject {
  const attributes: JsonObject = {};
  if (value === undefined) return attributes;
  if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) if (item !== null) setOwn(attributes, key, item);
    return attributes;
  }
  for (const item of Array.isArray(value) ? value : []) {
    const key = textAt(item, "key");
    const held = anyValue(valueAt(item, "value"));
    if (key !== undefined && held !== null) setOwn(attributes, key, held);
  }
  return attributes;
}

/** Returns the value that OTLP wraps into an object which names its type. */
export function anyValue(value: JsonValue | undefined): JsonValue {
  if (value === undefined || !isObject(value)) return value ?? null;
  const [kind = "", held = null] = Object.entries(value)[0] ?? [];
  switch (kind) {
    case "intValue":
      return integer(held);
    case "doubleValue":
      return typeof held === "string" && Number.isFinite(Number(held)) ? Number(held) : held;
    case "arrayValue":
      return listAt(held, "values").map(anyValue);
    case "kvlistValue":
      return attributesOf(valueAt(held, "values"));
    case "stringValue":
    case "boolValue":
    case "bytesValue":
      return held;
    default:
      return value;
  }
}

/** Returns an integer, which OTLP writes as text. */
function integer(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new ExactInteger(value);
}

/** Returns a count, which some exporters write as text. */
export function countIn(attributes: JsonObject, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === "number" && value >= 0 && value < 1e200) return value;
    if (typeof value === "string" && /^\d{1,15}(?:\.\d{1,20})?$/.test(value)) return Number(value);
  }
  return undefined;
}

/** Returns the first of these attributes that is present. */
export function firstOf(attributes: JsonObject, ...names: readonly string[]): JsonValue | undefined {
  const name = names.find((each) => Object.hasOwn(attributes, each));
  return name === undefined ? undefined : attributes[name];
}

/** Returns the first of these attributes that is a non-blank string. */
export function wordIn(attributes: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}
