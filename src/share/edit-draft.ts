// The common edits without an editor: `path=value`, where the path is that of a value in the draft's log, as errors name
// it. A content is given as text or as a file's bytes; anything else as JSON, or as a text where it is none.
import { isUtf8 } from "node:buffer";
import { CtxError } from "../base/errors.js";
import { isObject, type JsonObject, type JsonValue, setOwn } from "../base/json.js";
import { JsonReader } from "../base/json-reader.js";
import type { Draft } from "./draft.js";

export interface Edit {
  /** `model.parameters.temperature`, `prompts[0].content`, `inputs[notes.txt].content`. */
  path: string;
  value: string | Buffer;
}

/** Changes the draft as told; whether what comes out is a log is not looked at. */
export function editDraft(draft: Draft, edits: readonly Edit[]): void {
  for (const edit of edits) apply(draft, edit);
}

function apply(draft: Draft, { path, value }: Edit): void {
  const keys = keysOf(path);
  const last = keys.pop() as string;
  let at: JsonValue = draft.log;
  for (const key of keys) at = stepInto(at, key, path);
  if (isContent(keys, last) && isObject(at)) setContent(draft, at, last, value);
  else setValue(at, last, Buffer.isBuffer(value) ? value.toString("utf8") : value, path);
}

/** `a.b[3]["c d"]` as its keys. */
function keysOf(path: string): string[] {
  const keys: string[] = [];
  const part = /\.?([^.[\]"]+)|\[("(?:[^"\\]|\\.)*")\]|\[([^\]"][^\]]*)\]/gy;
  for (let end = 0; end < path.length; end = part.lastIndex) {
    const found = part.exec(path);
    const [whole = "", plain, quoted, bracketed] = found ?? [];
    const isBroken = plain !== undefined && whole.startsWith(".") !== end > 0;
    if (found === null || isBroken) throw notAPath(path, "it is not a path");
    keys.push(quoted === undefined ? ((plain ?? bracketed) as string) : (JSON.parse(quoted) as string));
  }
  if (keys.length === 0) throw notAPath(path, "it is empty");
  return keys;
}

function stepInto(at: JsonValue, key: string, path: string): JsonValue {
  if (Array.isArray(at)) {
    const index = indexOf(at, key);
    const found = index === undefined ? undefined : at[index];
    if (found !== undefined) return found;
    throw notAPath(path, `there is no "${key}" in that list of ${at.length}`);
  }
  if (!isObject(at)) throw notAPath(path, `"${key}" is below something that is no object`);
  if (!Object.hasOwn(at, key)) setOwn(at, key, {});
  return at[key] as JsonValue;
}

/** A number, or the name of an input or output. */
function indexOf(list: readonly JsonValue[], key: string): number | undefined {
  const named = list.findIndex((item) => isObject(item) && item["name"] === key);
  if (named !== -1) return named;
  return /^(?:0|[1-9]\d{0,9})$/.test(key) ? Number(key) : undefined;
}

function setValue(at: JsonValue, key: string, text: string, path: string): void {
  if (Array.isArray(at)) {
    const index = indexOf(at, key);
    if (index === undefined || index > at.length)
      throw notAPath(path, `there is no "${key}" in that list of ${at.length}`);
    at[index] = valueOf(text);
  } else if (isObject(at)) setOwn(at, key, valueOf(text));
  else throw notAPath(path, `"${key}" is below something that is no object`);
}

function valueOf(text: string): JsonValue {
  try {
    const reader = new JsonReader(Buffer.from(text));
    const value = reader.value();
    reader.end();
    return reader.problems.length === 0 ? value : text;
  } catch (error) {
    if (error instanceof CtxError && error.code === "not-json") return text;
    throw error;
  }
}

const contents: Readonly<Record<string, readonly string[]>> = {
  prompts: ["content"],
  inputs: ["content"],
  outputs: ["content"],
  steps: ["output", "seen"],
};

function isContent(keys: readonly string[], last: string): boolean {
  if (keys.length === 0) return last === "system_prompt";
  return keys.length === 2 && contents[keys[0] as string]?.includes(last) === true;
}

/** A content that lies in a file gets other bytes there; one that there was not is written into the log. */
function setContent(draft: Draft, owner: JsonObject, stem: string, value: string | Buffer): void {
  const bytes = Buffer.from(value);
  const file = owner[`${stem}_file`];
  if (typeof file === "string") draft.files.set(file, bytes);
  else if (isUtf8(bytes)) setOwn(owner, stem, bytes.toString("utf8"));
  else setOwn(owner, `${stem}_base64`, bytes.toString("base64"));
}

function notAPath(path: string, why: string): CtxError {
  return new CtxError("usage", `--set ${path}: ${why}`, {
    hint: "paths look like model.parameters.temperature, prompts[0].content or inputs[name].content",
  });
}
