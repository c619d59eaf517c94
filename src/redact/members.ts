// What names of members and arguments say about their values.
import { type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";
import type { Printing } from "./printing.js";
import { secretFile } from "./secret-files.js";

/** Names below `metadata` that ctx itself writes and reads: no rule redacts them. */
export const ownKeys: ReadonlySet<string> = new Set(
  "redactions log_redactions fidelity coverage parallel exit_code abandoned truncated subagents".split(" "),
);

/** Returns the members of an object before this key. */
export function membersBefore(value: JsonObject, end: string): JsonObject {
  const object: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (key === end) break;
    setOwn(object, key, value[key] as JsonValue);
  }
  return object;
}

/** More of a name says no more, and no secret is longer. */
export const longestName = 64;
export const maxMemberLength = 8192;

/** Returns the name of an option that precedes its value in a list of arguments. */
export function optionBefore(item: JsonValue | undefined): string | undefined {
  return typeof item === "string" && /^--?[a-z][a-z0-9-]{1,40}$/i.test(item)
    ? item.replace(/^-+/, "")
    : undefined;
}

/** Returns the name for the `value` of an object, as forms, environments and tags have it. */
export function nameIn(object: JsonObject): string {
  const name = ["name", "key", "label", "field"]
    .map((key) => object[key])
    .find((item) => typeof item === "string");
  return typeof name === "string" ? name : "value";
}

const pathNames = ["path", "file_path", "filePath", "filename", "file", "target_file"];
/** Names of members that hold what is written to a file. */
export const contentNames: ReadonlySet<string> = new Set(
  "content contents text file_text data body".split(" "),
);

/** Returns what the file holds that an object names, if that is a secret: a call that writes one has no other sign. */
export function writtenSecret(object: JsonObject): Printing | undefined {
  const path = pathNames.map((name) => object[name]).find((value) => typeof value === "string");
  const prints = typeof path === "string" ? secretFile(path) : undefined;
  return prints === undefined ? undefined : { prints, isAlone: true };
}

export const secretNamePattern = /pass|secret|token|key|auth|credential|cookie|pwd/i;

/** Returns the key, with enough `~` appended to be unused in the object. */
export function unusedKey(object: JsonObject, key: string): string {
  let unused = key;
  while (Object.hasOwn(object, unused)) unused += "~";
  return unused;
}
