// Common edits without an editor: `path=value`, where the path is that of a value in the draft's log, as
// errors name it. A content is text or the bytes of a file; any other value is JSON, or text if it does not
// parse.
import { isUtf8 } from "node:buffer";
import { CtxError } from "../base/errors.js";
import { isObject, type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";
import { JsonReader } from "../base/json/reader.js";
import type { Draft } from "./draft.js";

/** One edit. A value that begins with `@` names a file. */
export interface DraftEdit {
  /** `model.parameters.temperature`, `prompts[0].content`, `inputs[notes.txt].content`. */
  path: string;
  value: string;
}

const pathPart = /\.?([^.[\]"=]+)|\[("(?:[^"\\]|\\.)*")\]|\[([^\]"][^\]]*)\]/gy;

/** Parses an edit from the command line: `path=value`. */
export function parseEdit(text: string): DraftEdit {
  let end = 0;
  for (pathPart.lastIndex = 0; pathPart.test(text); ) end = pathPart.lastIndex;
  if (end > 0 && text[end] === "=") return { path: text.slice(0, end), value: text.slice(end + 1) };
  throw new CtxError("usage", `--set ${text}: must have the form path=value`, {
    hint: "for example: --set model.parameters.temperature=0",
  });
}

/**
 * Applies edits to the draft; does not check whether the result is a valid log. Calls `readFile` for `@name`.
 */
export function editDraft(
  draft: Draft,
  edits: readonly DraftEdit[],
  readFile: (name: string) => Buffer,
): void {
  for (const edit of edits) apply(draft, edit, readFile);
  // Files that nothing refers to any more are not written.
  const used = new Set(fileNames(draft.log));
  for (const path of draft.files.keys()) if (!used.has(path)) draft.files.delete(path);
}

function apply(draft: Draft, { path, value }: DraftEdit, readFile: (name: string) => Buffer): void {
  const keys = keysOf(path);
  const last = (keys.pop() as PathKey).text;
  let at: JsonValue = draft.log;
  for (const key of keys) at = stepInto(at, key, path);
  if (isContent(keys, last) && isObject(at))
    setContent(draft, at, last, value.startsWith("@") ? readFile(value.slice(1)) : Buffer.from(value));
  else setValue(at, { text: last, isName: false }, value, path);
}

function* fileNames(value: JsonValue): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* fileNames(item);
  else if (isObject(value))
    for (const [key, member] of Object.entries(value))
      if (key.endsWith("_file") && typeof member === "string") yield member;
      else if (["prompts", "inputs", "steps", "outputs"].includes(key)) yield* fileNames(member);
}

interface PathKey {
  text: string;
  /** Whether it was quoted: then it is never a number. */
  isName: boolean;
}

/** Parses `a.b[3]["c d"]` into its keys. */
function keysOf(path: string): PathKey[] {
  const keys: PathKey[] = [];
  pathPart.lastIndex = 0;
  for (let end = 0; end < path.length; end = pathPart.lastIndex) {
    const found = pathPart.exec(path);
    const [whole = "", plain, quoted, bracketed] = found ?? [];
    const isBroken = plain !== undefined && whole.startsWith(".") !== end > 0;
    const text = plain ?? bracketed ?? unquoted(quoted ?? "");
    if (found === null || isBroken || text === undefined) throw badPath(path, "it is not a path");
    keys.push({ text, isName: quoted !== undefined });
  }
  if (keys.length === 0) throw badPath(path, "it is empty");
  return keys;
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

function stepInto(at: JsonValue, key: PathKey, path: string): JsonValue {
  const { text } = key;
  if (Array.isArray(at)) {
    const index = indexOf(at, key);
    const found = index === undefined ? undefined : at[index];
    if (found !== undefined) return found;
    throw noSuchKey(at, text, path);
  }
  if (!isObject(at)) throw badPath(path, `"${text}" is inside a value that is not an object`);
  if (!Object.hasOwn(at, text)) setOwn(at, text, {});
  return at[text] as JsonValue;
}

/** Resolves a number, or the name of an input or output. */
function indexOf(list: readonly JsonValue[], { text, isName }: PathKey): number | undefined {
  if (!isName && /^(?:0|[1-9]\d{0,9})$/.test(text)) return Number(text);
  const named = list.findIndex((item) => isObject(item) && item["name"] === text);
  return named === -1 ? undefined : named;
}

function setValue(at: JsonValue, key: PathKey, text: string, path: string): void {
  if (Array.isArray(at)) {
    const index = indexOf(at, key);
    if (index === undefined || index > at.length) throw noSuchKey(at, key.text, path);
    at[index] = valueOf(text, path);
  } else if (isObject(at)) setOwn(at, key.text, valueOf(text, path));
  else throw badPath(path, `"${key.text}" is inside a value that is not an object`);
}

/** Parses JSON, or returns the text if it does not look like JSON. */
function valueOf(text: string, path: string): JsonValue {
  let why: string | undefined;
  try {
    const reader = new JsonReader(Buffer.from(text));
    const value = reader.value();
    reader.end();
    why = reader.problems[0]?.message;
    if (why === undefined) return value;
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "not-json") throw error;
    if (/^\s*[[{"]/.test(text)) why = error.message;
  }
  if (why === undefined) return text;
  throw new CtxError("usage", `--set ${path}: ${why}`, {
    hint: "put text that looks like JSON in double quotes",
  });
}

const contents: ReadonlyMap<string, readonly string[]> = new Map([
  ["prompts", ["content"]],
  ["inputs", ["content"]],
  ["outputs", ["content"]],
  ["steps", ["output", "seen"]],
]);

function isContent(keys: readonly PathKey[], last: string): boolean {
  if (keys.length === 0) return last === "system_prompt";
  return keys.length === 2 && contents.get((keys[0] as PathKey).text)?.includes(last) === true;
}

/** Replaces the bytes of a content that is in a file; writes any other content into the log. */
function setContent(draft: Draft, owner: JsonObject, stem: string, bytes: Buffer): void {
  const file = owner[`${stem}_file`];
  if (typeof file === "string") {
    draft.files.set(file, bytes);
    return;
  }
  delete owner[stem];
  delete owner[`${stem}_base64`];
  if (isUtf8(bytes)) setOwn(owner, stem, bytes.toString("utf8"));
  else setOwn(owner, `${stem}_base64`, bytes.toString("base64"));
}

function noSuchKey(list: readonly JsonValue[], key: string, path: string): CtxError {
  const names = list.flatMap((item) =>
    isObject(item) && typeof item["name"] === "string" ? item["name"] : [],
  );
  const range = list.length === 0 ? "it is empty" : `its items are 0 to ${list.length - 1}`;
  return new CtxError("usage", `--set ${path}: there is no "${key}" in that list`, {
    hint: names.length === 0 ? range : `${range}: ${names.slice(0, 10).join(", ")}`,
  });
}

function badPath(path: string, why: string): CtxError {
  return new CtxError("usage", `--set ${path}: ${why}`, {
    hint: "paths look like model.parameters.temperature, prompts[0].content or inputs[name].content",
  });
}
