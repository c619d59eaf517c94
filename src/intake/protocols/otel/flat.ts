// Attributes whose names are paths: written flat (`a.0.b`), nested, or a mix of both.
import { isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";

/** Flattens attributes to names with dots. Lists of plain values stay whole. */
export function flat(attributes: JsonObject): JsonObject {
  const found: JsonObject = {};
  const visit = (value: JsonValue, path: string): void => {
    const isList = Array.isArray(value) && value.some((item) => item !== null && typeof item === "object");
    if (isList) for (const [index, item] of value.entries()) visit(item, `${path}.${index}`);
    else if (value !== null && isObject(value))
      for (const [key, item] of Object.entries(value)) visit(item, path === "" ? key : `${path}.${key}`);
    else if (value !== null) setOwn(found, path, value);
  };
  visit(attributes, "");
  return found;
}

/** Returns the attributes below a name as one value; undefined when there are none. Numbers make lists. */
export function below(attributes: JsonObject, name: string): JsonValue | undefined {
  const root: Branch = new Map();
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(`${name}.`)) continue;
    const path = key.slice(name.length + 1).split(".");
    if (path.length > deepest) continue;
    const last = path.pop() as string;
    let branch = root;
    for (const part of path) {
      const next = branch.get(part);
      const inner: Branch = next instanceof Map ? next : new Map();
      branch.set(part, inner);
      branch = inner;
    }
    if (!(branch.get(last) instanceof Map)) branch.set(last, value);
  }
  return root.size === 0 ? undefined : grown(root);
}

/** Real names have fewer parts. */
const deepest = 100;

type Branch = Map<string, Branch | JsonValue>;

function grown(branch: Branch): JsonValue {
  const members = [...branch].map(
    ([key, value]) => [key, value instanceof Map ? grown(value) : value] as const,
  );
  if (members.every(([key]) => /^\d{1,9}$/.test(key)))
    return members.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
  const object: JsonObject = {};
  for (const [key, value] of members) setOwn(object, key, value);
  return object;
}
