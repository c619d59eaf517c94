// What the names of members and arguments say about the values beside them.
import { type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";

/** Names below `metadata` that ctx itself writes and reads again: a rule that matches such a word leaves it. */
export const ownKeys: ReadonlySet<string> = new Set(
  "redactions log_redactions fidelity coverage parallel exit_code abandoned truncated subagents".split(" "),
);

/** The members of an object that come before this key. */
export function membersBefore(value: JsonObject, end: string): JsonObject {
  const object: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (key === end) break;
    setOwn(object, key, value[key] as JsonValue);
  }
  return object;
}

/** More of a name says nothing more, and no secret is longer. */
export const longestName = 64;
export const longestMember = 8192;

/** The name of an option that stands before its value in a list of arguments. */
export function optionBefore(item: JsonValue | undefined): string | undefined {
  return typeof item === "string" && /^--?[a-z][a-z0-9-]{1,40}$/i.test(item)
    ? item.replace(/^-+/, "")
    : undefined;
}

/** What the `value` of an object is the value of, as forms, environments and tags have it. */
export function nameIn(object: JsonObject): string {
  const name = ["name", "key", "label", "field"]
    .map((key) => object[key])
    .find((item) => typeof item === "string");
  return typeof name === "string" ? name : "value";
}

export const tellingName = /pass|secret|token|key|auth|credential|cookie|pwd/i;

/** The key, with so many marks behind it that the object has no such member. */
export function unusedKey(object: JsonObject, key: string): string {
  let unused = key;
  while (Object.hasOwn(object, unused)) unused += "~";
  return unused;
}
